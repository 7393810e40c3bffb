import type { Clock } from '../../core/clock.js';
import { InvalidOptionError } from '../../core/errors.js';
import type { Send } from './connection.js';
import { GUARD_LEASE_KEY } from './keys.js';

/** Life of what was agreed on without a sign of a guarded process, and the age from which it is written anew, in ms. */
const TTL_MS = 60_000;
const REFRESH_MS = 20_000;

/**
 * The longest lease, which all guarded processes of a server must have in common: a quarantine that is shorter than a lease of
 * another process would end before that lease does.
 */
export class GuardAgreement {
  #writtenAt = Infinity;

  constructor(
    private readonly maxLeaseMs: number,
    private readonly send: Send,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidOptionError when others have agreed on another one, and what the connection throws */
  async reach(): Promise<void> {
    const { maxLeaseMs } = this;
    await this.send('set', [GUARD_LEASE_KEY, String(maxLeaseMs), 'NX', 'PX', TTL_MS]);
    const agreed = Number(await this.send('get', [GUARD_LEASE_KEY]));
    if (agreed > 0 && agreed !== maxLeaseMs) {
      const requirement = `${agreed}, as other processes with restartGuard on this server have it`;
      throw new InvalidOptionError('maxLeaseMs', requirement, maxLeaseMs);
    }
    this.#writtenAt = this.clock.now();
  }

  /** Keeps it while this process is at work. Nothing before it was reached. */
  keep(): void {
    if (this.clock.now() - this.#writtenAt < REFRESH_MS) return;
    if (this.#writtenAt === Infinity) return;
    this.#writtenAt = this.clock.now();
    void this.send('set', [GUARD_LEASE_KEY, String(this.maxLeaseMs), 'PX', TTL_MS]).catch(() => undefined);
  }
}
