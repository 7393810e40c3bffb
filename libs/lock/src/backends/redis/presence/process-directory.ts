import { hostname } from 'node:os';
import type { ProcessView } from '../../../core/claim.js';
import type { Clock } from '../../../core/clock.js';
import type { Send } from '../connection/redis-connection.js';
import { processKey } from '../protocol/keys.js';

/** Life of an entry without a sign, and the age from which it is written anew, in ms. */
const ENTRY_TTL_MS = 60_000;
const REFRESH_MS = 20_000;
/** A process without an entry (Redisson, or one that has just begun) is looked up again after this long, in ms. */
const UNKNOWN_TTL_MS = 10_000;
const CACHE_SIZE = 256;

interface CachedProcess {
  readonly view: ProcessView | undefined;
  readonly readAt: number;
}

/** Who is behind a process id. For people and logs only: written and read on the side, never waited for by a claim. */
export class RedisProcessDirectory {
  readonly #cache = new Map<string, CachedProcess>();
  readonly #own: ProcessView;
  #writtenAt = -Infinity;

  constructor(
    readonly processId: string,
    label: string | undefined,
    private readonly send: Send,
    private readonly clock: Clock,
    /** Refreshed beside the entry. */
    private readonly agreement?: { refresh(): void },
  ) {
    this.#own = { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) };
  }

  /** Writes the own entry if it is due. */
  refresh(): void {
    this.agreement?.refresh();
    if (this.clock.now() - this.#writtenAt >= REFRESH_MS) void this.write(this.send).catch(() => undefined);
  }

  async write(send: Send): Promise<void> {
    this.#writtenAt = this.clock.now();
    await send('set', [processKey(this.processId), JSON.stringify(this.#own), 'PX', ENTRY_TTL_MS]);
  }

  async remove(): Promise<void> {
    if (this.#writtenAt > -Infinity) await this.send('del', [processKey(this.processId)]);
  }

  /** What is known now; an unknown process is looked up for the next time. */
  cached(processId: string): ProcessView | undefined {
    if (processId === this.processId) return this.#own;
    const entry = this.#cache.get(processId);
    if (entry?.view === undefined && !(this.clock.now() - (entry?.readAt ?? -Infinity) < UNKNOWN_TTL_MS)) {
      this.#remember(processId, undefined);
      void this.find(processId).catch(() => undefined);
    }
    return entry?.view;
  }

  async find(processId: string): Promise<ProcessView | undefined> {
    const known = processId === this.processId ? this.#own : this.#cache.get(processId)?.view;
    if (known !== undefined) return known;
    const view = parse(await this.send('get', [processKey(processId)]));
    this.#remember(processId, view);
    return view;
  }

  #remember(processId: string, view: ProcessView | undefined): void {
    this.#cache.delete(processId);
    if (this.#cache.size >= CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(processId, { view, readAt: this.clock.now() });
  }
}

/** An entry as anybody may have written it. */
function parse(text: unknown): ProcessView | undefined {
  if (typeof text !== 'string' || text.length > 4_096) return undefined;
  try {
    const { host, pid, label } = JSON.parse(text) as Partial<ProcessView>;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, pid, ...(typeof label === 'string' && { label }) };
  } catch {
    return undefined;
  }
}
