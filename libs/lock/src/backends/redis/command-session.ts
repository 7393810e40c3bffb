import { codeOf, notSent } from './failures.js';
import type { Arg, Conversation, Send } from './connection.js';
import type { Guard } from './claim-verb.js';
import { checkEviction } from './eviction.js';
import { GUARD_KEY, probeKeys } from './keys.js';
import type { ProcessRows } from './process-rows.js';
import { runScript } from './run-script.js';
import { ALL_SCRIPTS, CLAIM, WITHDRAW } from './script.js';
import type { ServerTime } from './server-time.js';

/** Life of the probe's lock, should its withdrawal get lost, in ms. */
const PROBE_LEASE_MS = 1_000;

export interface SessionOptions {
  readonly restartGuard: boolean;
  readonly coldStart: 'wait' | 'trust';
  readonly maxLeaseMs: number;
  /** Refuse a server that may evict locks. */
  readonly strict: boolean;
}

/** What is learned on each new connection for commands, and holds for it alone: the run of the server, and its time. */
export class CommandSession implements Conversation, Guard {
  runId = '';
  #trusts: boolean;

  constructor(
    private readonly options: SessionOptions,
    private readonly time: ServerTime,
    private readonly rows: ProcessRows,
    private readonly processId: string,
    private readonly database: number,
    private readonly onReconnected: () => void,
  ) {
    this.#trusts = options.coldStart === 'trust';
  }

  get maxLeaseMs(): number {
    return this.options.maxLeaseMs;
  }

  async open(send: Send): Promise<void> {
    // The client goes on in database 0 when its own SELECT fails.
    if (this.database > 0) await send('select', [this.database]);
    // A server that forbids SCRIPT LOAD gets each script by its text at its first use.
    const loading = ALL_SCRIPTS.map(({ source }) => send('script', ['LOAD', source]).catch(() => undefined));
    const [info, clock] = await Promise.all([readInfo(send), send('time', []), ...loading]);
    const [seconds, micros] = clock as [string, string];
    this.time.learn(Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000));
    checkEviction(info['maxmemory_policy'], this.options.strict);
    if (this.options.restartGuard) {
      const runId = info['run_id'];
      if (runId === undefined)
        throw notSent('restartGuard needs the run id: allow this user the command INFO');
      this.runId = runId;
    }
    await Promise.all([this.#probe(send), this.rows.write(send).catch(() => undefined)]);
  }

  opened(isFirst: boolean): void {
    if (!isFirst) this.onReconnected();
  }

  lost(): void {
    this.runId = '';
    this.time.forget();
  }

  /**
   * Locks and unlocks a name of its own, which shows that all that locks need works, and begins a quarantine now rather
   * than at the first claim. Only this first question of a process may trust a missing guard: what is missing later was
   * lost while others were running.
   */
  async #probe(send: Send): Promise<void> {
    const { runId, processId } = this;
    const [lock, line, signs, token] = probeKeys(processId);
    const keys = [token, lock, line, signs, ...(runId === '' ? [] : [GUARD_KEY])];
    const trusts = this.#trusts ? 1 : 0;
    this.#trusts = false;
    const id = `${processId}:0`;
    const claim: Arg[] = [id, PROBE_LEASE_MS, Number.MAX_SAFE_INTEGER, 1, 0];
    if (runId !== '') claim.push(runId, this.maxLeaseMs, trusts);
    try {
      await runScript(send, CLAIM, [CLAIM.sha1, keys.length, ...keys, ...claim]);
    } catch (error) {
      const code = codeOf((error as Error).cause);
      // A full server still has to take withdrawals.
      if (code !== 'QUARANTINED' && code !== 'OOM') throw error;
    }
    const given = runScript(send, WITHDRAW, [WITHDRAW.sha1, 3, lock, line, signs, id, 0, 1]);
    await Promise.all([given, send('del', [token])]);
  }
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
