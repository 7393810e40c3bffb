import { FAIR_MUTEX, MUTEX, permits, READER, type Shape } from '../../../core/claim.js';
import type { Clock } from '../../../core/clock.js';
import { InvalidOptionError, LockTypeMismatchError } from '../../../core/errors.js';
import type { HeldResource, ListRequest } from '../../../core/ports/admin.js';
import type { LeaseDriver } from '../../../core/ports/ports.js';
import type { LockNames, NamesPage } from '../../kit/named-admin.js';
import { pauseAfterPage } from '../../kit/pace.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { processIdIn, PROCESS_KEYS, ResourceKeys, tagged } from '../protocol/keys.js';
import { SemaphoreKeys } from '../locks/semaphore-protocol.js';
import { FIND } from '../protocol/script.js';
import { scriptCallerFor } from '../protocol/script-caller.js';

/** Any number of permits: the scripts that find holders do not need it. */
const PERMITS = permits(1, 1);
/** Keys that one SCAN visits where only processes are wanted. */
const PROCESSES_COUNT = 1_000;
/** Hashes of Bedrock that are no locks: requests in queues, records, and locks that probe a connection. */
const NO_LOCK = /^bedrock_(?:asks|fair|units_asks|record|probe):/;
const UNITS = 'bedrock_units:';
/** Which keys a cursor is about: those of locks, or of semaphores; then the cursor of SCAN. */
const CURSOR = /^([lu])(\d{1,20})$/;

/** The names of locks on one server, by SCAN: those of Redisson too. */
export class RedisLockNames implements LockNames {
  readonly #callScript;

  constructor(
    private readonly connection: RedisConnection,
    private readonly leases: Pick<LeaseDriver, 'inspect'>,
    private readonly clock: Clock,
    private readonly start: () => void,
  ) {
    this.#callScript = scriptCallerFor(connection.calls);
  }

  async names({ prefix, limit, cursor = 'l0' }: ListRequest): Promise<NamesPage> {
    const [, phase, scanCursor] = CURSOR.exec(cursor) ?? [];
    if (scanCursor === undefined)
      throw new InvalidOptionError('cursor', 'the cursor of the page before', cursor);
    const glob = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
    const { keys, next } = await this.#scan(
      scanCursor,
      phase === 'l' ? glob : `${UNITS}[{:]${glob}`,
      limit,
      'hash',
    );
    const names = new Set(keys.map(nameOf).filter((name) => name?.startsWith(prefix) === true) as string[]);
    // Without a prefix, the keys of locks include those of semaphores.
    const isLast = next === '0' && (phase === 'u' || prefix === '');
    return { names: [...names], cursor: isLast ? undefined : next === '0' ? 'u0' : `${phase}${next}` };
  }

  async find(resource: string): Promise<readonly HeldResource[]> {
    await this.#whenServing();
    const { lock, queue } = new ResourceKeys(resource);
    const [units, unitsQueue] = new SemaphoreKeys(resource).all as [string, string];
    const keys = [lock, queue, `redisson_lock_queue:${tagged(lock)}`, units, unitsQueue];
    const reply = (await this.#callScript(FIND, resource, keys)) as FindReply;
    const [type, mode, queued, fairlyQueued, hasUnits, queuedForUnits] = reply;
    const found: HeldResource[] = [];
    const add = async (shape: Shape, waiters: number): Promise<void> => {
      const holders = await this.leases.inspect(resource, shape);
      if (holders.length > 0) found.push({ resource, shape, holders, waiters });
    };
    if (type === 'hash' && mode !== '') await add(READER, queued);
    else if (type === 'hash') await add(fairlyQueued > 0 ? FAIR_MUTEX : MUTEX, queued + fairlyQueued);
    if (hasUnits === 1) await add(PERMITS, queuedForUnits);
    if (found.length === 0 && type !== 'hash' && type !== 'none')
      throw new LockTypeMismatchError(resource, `a key of the type ${type}`);
    return found;
  }

  /** The ids of processes whose entry is on this server. */
  async processIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor = '0';
    do {
      const askedAt = this.clock.now();
      const { keys, next } = await this.#scan(cursor, `${PROCESS_KEYS}*`, PROCESSES_COUNT, 'string');
      ids.push(...keys.map(processIdIn));
      cursor = next;
      if (cursor !== '0') await pauseAfterPage(this.clock, askedAt);
    } while (cursor !== '0');
    return ids;
  }

  async #scan(
    cursor: string,
    pattern: string,
    count: number,
    type: 'hash' | 'string',
  ): Promise<{ readonly keys: readonly string[]; readonly next: string }> {
    await this.#whenServing();
    const args = [cursor, 'MATCH', pattern, 'COUNT', count, 'TYPE', type];
    const [next, keys] = (await this.connection.calls.call('scan', args)) as [string, string[]];
    return { keys, next };
  }

  async #whenServing(): Promise<void> {
    this.start();
    await this.connection.whenServing();
  }
}

type FindReply = [type: string, mode: string, number, number, 0 | 1, number];

/** The name of the lock that has this hash; undefined for other hashes of Bedrock. */
function nameOf(key: string): string | undefined {
  if (NO_LOCK.test(key)) return undefined;
  if (!key.startsWith(UNITS)) return key;
  const tag = key.slice(UNITS.length);
  return tag.startsWith(':') ? tag.slice(1) : tag.slice(1, -1);
}
