import { codeOf, notSent } from './failures.js';
import type { Conversation, Send } from './connection.js';
import type { Guard } from './claim-verb.js';
import { checkEviction } from './eviction.js';
import { GUARD_KEY, TOKEN_KEY } from './keys.js';
import type { ProcessRows } from './process-rows.js';
import { runScript } from './run-script.js';
import { ALL_SCRIPTS, CLAIM } from './script.js';
import type { ServerTime } from './server-time.js';

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
    private readonly onReconnected: () => void,
  ) {
    this.#trusts = options.coldStart === 'trust';
  }

  get maxLeaseMs(): number {
    return this.options.maxLeaseMs;
  }

  async open(send: Send): Promise<void> {
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
   * Asks for nothing, which shows that scripts run, and begins a quarantine now rather than at the first claim. Only this
   * first question of a process may trust a missing guard: what is missing later was lost while others were running.
   */
  async #probe(send: Send): Promise<void> {
    const { runId } = this;
    const keys = runId === '' ? [TOKEN_KEY] : [TOKEN_KEY, GUARD_KEY];
    const args = [CLAIM.sha1, keys.length, ...keys, '', runId, this.maxLeaseMs, this.#trusts ? 1 : 0];
    try {
      await runScript(send, CLAIM, args);
      this.#trusts = false;
    } catch (error) {
      const code = codeOf((error as Error).cause);
      if (code === 'QUARANTINED') this.#trusts = false;
      // A full server still has to take withdrawals.
      else if (code !== 'OOM') throw error;
    }
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
