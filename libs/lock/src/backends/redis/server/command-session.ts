import type { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import { codeOf, notSent } from '../connection/failures.js';
import type { ConnectionHandler } from '../connection/redis-connection.js';
import type { Send } from '../connection/redis-calls.js';
import type { RestartGuard } from '../locks/claim-command.js';
import { checkEviction } from './eviction.js';
import { GUARD_KEY, probeKeys } from '../protocol/keys.js';
import type { Arg, RedisLink } from '../connection/link.js';
import { processEntries } from '../presence/process-entries.js';
import type { ReplicaAckSettings } from '../protocol/replica-acks.js';
import { runScript } from '../protocol/run-script.js';
import { PRELOADED_SCRIPTS, CLAIM, scriptFor, WITHDRAW } from '../protocol/script.js';

/** Life of the probe lock if its withdrawal gets lost, in ms. */
const PROBE_LEASE_MS = 1_000;
/** The first version of Redis with shard channels. */
const SHARDED_SINCE = 7;
/** Errors of a cluster server whose slot has moved, or is moving, to another one. */
const REDIRECTIONS: ReadonlySet<string> = new Set(['MOVED', 'ASK', 'TRYAGAIN']);

export interface CommandSessionSettings {
  readonly restartGuard: boolean;
  readonly coldStart: 'wait' | 'trust';
  readonly maxLeaseMs: number;
  /** Refuse a server that may evict locks. */
  readonly strict: boolean;
  readonly replicaAcks: ReplicaAckSettings | undefined;
}

export interface CommandSessionDeps {
  readonly settings: CommandSessionSettings;
  readonly connection: { readonly link: Pick<RedisLink, 'database' | 'isSharded'> };
  readonly clockOffset: ClockOffset;
  readonly processes: Pick<ProcessDirectory, 'write'>;
  /** Set if the guarded processes of a server must agree on their longest lease. */
  readonly agreement?: { reach(send: Send): Promise<void> } | undefined;
  readonly processId: string;
  /** All grants should be verified now. */
  readonly onSuspect: (resource: undefined) => void;
  readonly onServing?: (run: string) => void;
  readonly onLost?: () => void;
  readonly joinedLater?: boolean;
  /** In a cluster: a hash tag of a slot that this server serves, if any. */
  readonly ownHashTag?: () => string | undefined;
}

/**
 * State learned anew on each command connection, and valid for it alone: the server's run and its
 * time.
 */
export class CommandSession implements ConnectionHandler, RestartGuard {
  runId = '';
  #trustsMissingGuard: boolean;

  constructor(private readonly deps: CommandSessionDeps) {
    this.#trustsMissingGuard = deps.settings.coldStart === 'trust';
  }

  /**
   * A server that may have lost data must not push grants. Nor may one with `replicaAcks`, since no
   * WAIT covers a pushed grant.
   */
  get mayPush(): boolean {
    return this.runId === '' && this.deps.settings.replicaAcks === undefined;
  }

  get maxLeaseMs(): number {
    return this.deps.settings.maxLeaseMs;
  }

  async open(send: Send): Promise<void> {
    const { settings, clockOffset, processes, connection, processId } = this.deps;
    const { database, isSharded } = connection.link;
    // ioredis stays in database 0 if its own SELECT fails.
    if (database > 0) await send('select', [database]);
    // Some servers forbid SCRIPT LOAD. There, the first use of each script sends its text.
    const loading = PRELOADED_SCRIPTS.map((script) =>
      send('script', ['LOAD', scriptFor(connection.link, script).source]).catch(() => undefined),
    );
    const sentAt = clockOffset.localNow();
    const [info, clock] = await Promise.all([readInfo(send), send('time', []), ...loading]);
    const [seconds, micros] = clock as [string, string];
    clockOffset.addSample(Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000), sentAt);
    if (isSharded) checkVersion(info['redis_version']);
    checkEviction(info['maxmemory_policy'], settings.strict);
    if (settings.restartGuard) {
      const runId = info['run_id'];
      if (runId === undefined)
        throw notSent('restartGuard needs the run id: allow this user the command INFO');
      this.runId = runId;
      await this.deps.agreement?.reach(send);
    }
    // In a cluster, any server may have the slot of this process's entry.
    const signing = isSharded
      ? undefined
      : processes.write(processEntries(processId, send)).catch(() => undefined);
    // Shows that this user may call WAIT.
    const asking = settings.replicaAcks && send('wait', [0, 1]);
    await Promise.all([this.#probe(send), signing, asking]);
  }

  opened(isFirst: boolean): void {
    if (!isFirst || this.deps.joinedLater === true) this.deps.onSuspect(undefined);
    this.deps.onServing?.(this.runId);
  }

  lost(): void {
    this.runId = '';
    this.deps.clockOffset.reset();
    this.deps.onLost?.();
  }

  /**
   * Locks and unlocks a private name. This proves that all that locks need works, and starts a
   * quarantine now rather than at the first claim. Only the first probe of a process may trust a
   * missing guard: one that is missing later was lost while other processes were running.
   */
  async #probe(send: Send): Promise<void> {
    const { runId } = this;
    const { processId, connection, ownHashTag } = this.deps;
    const { link } = connection;
    const tag = ownHashTag?.();
    if (link.isSharded && tag === undefined) return;
    const [lock, queue, asks, token] = probeKeys(processId, tag);
    const keys = [token, lock, queue, asks, ...(runId === '' ? [] : [GUARD_KEY])];
    const trusts = this.#trustsMissingGuard ? 1 : 0;
    this.#trustsMissingGuard = false;
    const id = `${processId}:0`;
    // Takes no token: its counter would never expire, and would stay if this process dies.
    const claim: Arg[] = [id, PROBE_LEASE_MS, Number.MAX_SAFE_INTEGER, 0, 0];
    if (runId !== '') claim.push(runId, this.maxLeaseMs, trusts);
    claim.push(0);
    const runner = { call: send, link };
    try {
      const asked = runScript(runner, CLAIM, keys, claim);
      await Promise.all([asked, send('set', [token, 0, 'PX', PROBE_LEASE_MS])]);
    } catch (error) {
      const code = codeOf((error as Error).cause);
      // The slot is moving to another server, or has moved.
      if (REDIRECTIONS.has(code)) return;
      // A full server must still take withdrawals.
      if (code !== 'QUARANTINED' && code !== 'OOM') throw error;
    }
    const given = runScript(runner, WITHDRAW, [token, lock, queue, asks], [id, 0, 1]);
    await Promise.all([given, send('del', [token])]);
  }
}

/** @throws BackendUnavailableError for a server without shard channels */
function checkVersion(version: string | undefined): void {
  if (version !== undefined && !(Number.parseInt(version, 10) >= SHARDED_SINCE))
    throw notSent(`locks on a cluster need Redis ${SHARDED_SINCE} or newer; this one is ${version}`);
}

/** The fields of INFO; none if this user may not call it. */
async function readInfo(send: Send): Promise<Partial<Record<string, string>>> {
  let text = '';
  try {
    text = (await send('info', [])) as string;
  } catch (error) {
    const code = codeOf((error as Error).cause);
    if (code !== 'NOPERM' && code !== 'ERR') throw error;
  }
  const fields: Partial<Record<string, string>> = {};
  for (const [, name, value] of text.matchAll(/^(\w+):(.*?)\r?$/gm)) fields[name!] = value!;
  return fields;
}
