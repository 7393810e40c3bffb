import type { LinkPool } from '../../connection/link-pool.js';

/** Names whose rows are known to be there, at most. */
const MAX_KNOWN = 20_000;

/** The rows that transactions lock: made once, and never removed by Bedrock, since a row that goes leaves a gap. */
export class TurnRows {
  readonly #known = new Set<string>();

  constructor(
    private readonly pool: LinkPool,
    private readonly table: string,
  ) {}

  /** @param by local ms @throws BackendUnavailableError */
  async make(name: string, deadline: number): Promise<void> {
    if (this.#known.has(name)) return;
    // Looked for without a lock first: an insertion would wait for the transaction that has the row.
    if (!(await this.#isThere(name, deadline))) {
      const text = `INSERT IGNORE INTO ${this.table} (resource) VALUES (?)`;
      await this.pool.run({ name: '', text, values: [name] }, deadline).catch(async (error: unknown) => {
        // Another process was faster, and its transaction has the row already.
        if (!(await this.#isThere(name, deadline + SECOND_LOOK_MS))) throw error;
      });
    }
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(name);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  async #isThere(name: string, deadline: number): Promise<boolean> {
    const text = `SELECT 1 AS there FROM ${this.table} WHERE resource = ?`;
    const { rows } = await this.pool.run({ name: '', text, values: [name] }, deadline);
    return rows.length > 0;
  }
}

const SECOND_LOOK_MS = 250;
