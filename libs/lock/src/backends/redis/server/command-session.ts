import { codeOf, notSent } from '../connection/failures.js';
import type { Conversation, Send } from '../connection/connection.js';
import type { Guard } from '../locks/claim-verb.js';
import { checkEviction } from './eviction.js';
import { GUARD_KEY, probeKeys } from '../protocol/keys.js';
import type { Arg, RedisLink } from '../connection/link.js';
import type { ProcessRows } from '../presence/process-rows.js';
import type { ReplicaAckTerms } from '../protocol/replica-acks.js';
import { runScript } from '../protocol/run-script.js';
import { ALL_SCRIPTS, CLAIM, formFor, WITHDRAW } from '../protocol/script.js';
import type { ServerTime } from '../connection/server-time.js';

/** Life of the probe's lock, should its withdrawal get lost, in ms. */
const PROBE_LEASE_MS = 1_000;
/** The first version of Redis with shard channels. */
const SHARDED_SINCE = 7;
/** By which a server of a cluster says that another one has the slot. */
const REDIRECTIONS: ReadonlySet<string> = new Set(['MOVED', 'ASK', 'TRYAGAIN']);

export interface SessionOptions {
  readonly restartGuard: boolean;
  readonly coldStart: 'wait' | 'trust';
  readonly maxLeaseMs: number;
  /** Refuse a server that may evict locks. */
  readonly strict: boolean;
  readonly replicaAcks: ReplicaAckTerms | undefined;
}

export interface SessionGround {
  readonly terms: SessionOptions;
  readonly connection: { readonly link: Pick<RedisLink, 'database' | 'isSharded'> };
  readonly time: ServerTime;
  readonly rows: Pick<ProcessRows, 'write'>;
  /** Where the processes of a server must have something in common. */
  readonly agreement?: { reach(send: Send): Promise<void> } | undefined;
  readonly processId: string;
  /** What is held should be verified now. */
  readonly onSuspect: (resource: undefined) => void;
  readonly onServing?: (run: string) => void;
  readonly onLost?: () => void;
  readonly isLate?: boolean;
  /** On a server of a cluster: a hash tag of a slot that it serves, if it serves one. */
  readonly tagHere?: () => string | undefined;
}

/** What is learned on each new connection for commands, and holds for it alone: the run of the server, and its time. */
export class CommandSession implements Conversation, Guard {
  runId = '';
  #trusts: boolean;

  constructor(private readonly ground: SessionGround) {
    this.#trusts = ground.terms.coldStart === 'trust';
  }

  /** A server in doubt about its data grants nothing by itself; and nobody would see that replicas have such a grant. */
  get mayPush(): boolean {
    return this.runId === '' && this.ground.terms.replicaAcks === undefined;
  }

  get maxLeaseMs(): number {
    return this.ground.terms.maxLeaseMs;
  }

  async open(send: Send): Promise<void> {
    const { terms, time, rows, connection } = this.ground;
    const { database, isSharded } = connection.link;
    // ioredis goes on in database 0 when its own SELECT fails.
    if (database > 0) await send('select', [database]);
    // A server that forbids SCRIPT LOAD gets each script by its text at its first use.
    const loading = ALL_SCRIPTS.map((script) =>
      send('script', ['LOAD', formFor(connection.link, script).source]).catch(() => undefined),
    );
    const sentAt = time.localNow();
    const [info, clock] = await Promise.all([readInfo(send), send('time', []), ...loading]);
    const [seconds, micros] = clock as [string, string];
    time.learn(Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000), sentAt);
    if (isSharded) checkVersion(info['redis_version']);
    checkEviction(info['maxmemory_policy'], terms.strict);
    if (terms.restartGuard) {
      const runId = info['run_id'];
      if (runId === undefined)
        throw notSent('restartGuard needs the run id: allow this user the command INFO');
      this.runId = runId;
      await this.ground.agreement?.reach(send);
    }
    // In a cluster, any of the servers may have the slot of the row.
    const signing = isSharded ? undefined : rows.write(send).catch(() => undefined);
    // Shows that this user may ask.
    const asking = terms.replicaAcks && send('wait', [0, 1]);
    await Promise.all([this.#probe(send), signing, asking]);
  }

  opened(isFirst: boolean): void {
    if (!isFirst || this.ground.isLate === true) this.ground.onSuspect(undefined);
    this.ground.onServing?.(this.runId);
  }

  lost(): void {
    this.runId = '';
    this.ground.time.forget();
    this.ground.onLost?.();
  }

  /**
   * Locks and unlocks a name of its own, which shows that all that locks need works, and begins a quarantine now rather
   * than at the first claim. Only this first question of a process may trust a missing guard: what is missing later was
   * lost while others were running.
   */
  async #probe(send: Send): Promise<void> {
    const { runId } = this;
    const { processId, connection, tagHere } = this.ground;
    const { link } = connection;
    const tag = tagHere?.();
    if (link.isSharded && tag === undefined) return;
    const [lock, line, asks, token] = probeKeys(processId, tag);
    const keys = [token, lock, line, asks, ...(runId === '' ? [] : [GUARD_KEY])];
    const trusts = this.#trusts ? 1 : 0;
    this.#trusts = false;
    const id = `${processId}:0`;
    // Without a token: its counter would have no end, and stay when this process dies.
    const claim: Arg[] = [id, PROBE_LEASE_MS, Number.MAX_SAFE_INTEGER, 0, 0];
    if (runId !== '') claim.push(runId, this.maxLeaseMs, trusts);
    claim.push(0);
    const runner = { call: send, link };
    try {
      const asked = runScript(runner, CLAIM, keys, claim);
      await Promise.all([asked, send('set', [token, 0, 'PX', PROBE_LEASE_MS])]);
    } catch (error) {
      const code = codeOf((error as Error).cause);
      // The slot is on its way to another server, or there already.
      if (REDIRECTIONS.has(code)) return;
      // A full server still has to take withdrawals.
      if (code !== 'QUARANTINED' && code !== 'OOM') throw error;
    }
    const given = runScript(runner, WITHDRAW, [token, lock, line, asks], [id, 0, 1]);
    await Promise.all([given, send('del', [token])]);
  }
}

/** @throws BackendUnavailableError for a server without shard channels */
function checkVersion(version: string | undefined): void {
  if (version !== undefined && !(Number.parseInt(version, 10) >= SHARDED_SINCE))
    throw notSent(`locks on a cluster need Redis ${SHARDED_SINCE} or newer; this one is ${version}`);
}

/** The fields of INFO; none where this user may not ask. */
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
