import type { Clock } from '../../../core/clock.js';
import { InvalidOptionError } from '../../../core/errors.js';
import type { Send } from '../connection/redis-connection.js';
import { notSent } from '../connection/failures.js';
import { GUARD_LEASE_KEY } from '../protocol/keys.js';

/** Life of the agreement without a sign of a guarded process, and the age from which it is prolonged, in ms. */
const TTL_MS = 60_000;
const REFRESH_MS = 20_000;

/**
 * The longest lease, which all guarded processes of a server must have in common: a quarantine that is shorter than a lease of
 * another process would end before that lease does.
 */
export class GuardAgreement {
  #refreshedAt = -Infinity;
  #hasWarned = false;

  constructor(
    private readonly maxLeaseMs: number,
    private readonly send: Send,
    private readonly clock: Clock,
  ) {}

  /**
   * Agrees with the processes that are at work, before anything is asked on a new connection.
   * @throws BackendUnavailableError whose cause is an InvalidOptionError, when they have agreed on another longest lease
   */
  async reach(send: Send): Promise<void> {
    const problem = await this.#agree(send);
    if (problem !== undefined) throw notSent(problem.message, problem);
  }

  /**
   * Prolongs the agreement while this process is at work. One that ended while this process was idle may have been made anew by
   * others, with another longest lease: then this process warns, once, and leaves theirs as it is.
   */
  refresh(): void {
    if (this.clock.now() - this.#refreshedAt < REFRESH_MS) return;
    this.#agree(this.send).then(
      (problem) => this.#warn(problem),
      () => undefined,
    );
  }

  async #agree(send: Send): Promise<InvalidOptionError | undefined> {
    const { maxLeaseMs } = this;
    this.#refreshedAt = this.clock.now();
    const [, agreed] = await Promise.all([
      send('set', [GUARD_LEASE_KEY, maxLeaseMs, 'NX', 'PX', TTL_MS]),
      send('get', [GUARD_LEASE_KEY]),
    ]);
    const others = Number(agreed);
    if (others > 0 && others !== maxLeaseMs) {
      const requirement = `${others}, the value of other processes with restartGuard on this server`;
      return new InvalidOptionError('maxLeaseMs', requirement, maxLeaseMs);
    }
    await send('pexpire', [GUARD_LEASE_KEY, TTL_MS]);
    return undefined;
  }

  #warn(problem: InvalidOptionError | undefined): void {
    if (problem === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    process.emitWarning(problem.message, { type: 'BedrockWarning', code: 'BEDROCK_GUARD_LEASE' });
  }
}
