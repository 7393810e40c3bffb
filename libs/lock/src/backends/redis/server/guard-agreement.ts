import type { Clock } from '../../../core/clock.js';
import { InvalidOptionError } from '../../../core/errors.js';
import type { Send } from '../connection/redis-calls.js';
import { notSent } from '../connection/failures.js';
import { GUARD_LEASE_KEY } from '../protocol/keys.js';

/**
 * In ms: the life of the agreement without a renewal by a guarded process, and the age at which it
 * is renewed.
 */
const TTL_MS = 60_000;
const REFRESH_MS = 20_000;

/**
 * The longest lease, on which all guarded processes of a server must agree. A quarantine shorter
 * than a lease of another process would end before that lease does.
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
   * Agrees with the running processes before anything else is sent on a new connection.
   * @throws BackendUnavailableError caused by an InvalidOptionError, if they use another longest
   * lease
   */
  async reach(send: Send): Promise<void> {
    const problem = await this.#agree(send);
    if (problem !== undefined) throw notSent(problem.message, problem);
  }

  /**
   * Renews the agreement while this process is active. An agreement may expire while this process
   * is idle. Other processes may then have set another longest lease: this process warns once and
   * keeps theirs.
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
