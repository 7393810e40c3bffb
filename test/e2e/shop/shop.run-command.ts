import { commandsWith } from 'bedrock-servers';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the tests run: the built command, as `npm run shop` does. */
const MAIN = join(import.meta.dirname, '../../../apps/shop/dist/run/main.js');
const MARK = 'SHOP_RUN_OF_A_TEST';

const runs = new Set<ShopRun>();

/** Ends what a test has started, however it went; for `afterEach`. */
export async function endRuns(): Promise<void> {
  await Promise.all([...runs].map((run) => run.kill()));
}

/** One run of the command. Whatever it starts has its mark in the environment, and can be found by it. */
export class ShopRun {
  readonly #mark = randomUUID();
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | NodeJS.Signals>;
  #stdout = '';
  #stderr = '';

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    // What the machine of the test has set must not decide.
    const { PATH, TMPDIR } = process.env;
    this.#child = spawn(process.execPath, ['--enable-source-maps', MAIN, ...args], {
      env: { PATH, TMPDIR, [MARK]: this.#mark, ...environment },
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#closed = once(this.#child, 'close').then(
      ([code, signal]) => (signal ?? code) as number | NodeJS.Signals,
    );
    runs.add(this);
    void this.#closed.then(() => runs.delete(this));
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get lastLine(): string {
    return this.#stdout.trimEnd().split('\n').at(-1)!;
  }

  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.#closed;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#closed;
  }

  /** Resolves with what matches on its standard output. @throws when it ends before, or in time nothing does */
  async says(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = pattern.exec(this.#stdout);
      if (found !== null) return found;
      if (this.#child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`it did not say ${String(pattern)}: ${this.#stdout}\n${this.#stderr}`);
      }
      await sleep(20);
    }
  }

  /** Command lines of all that it started and that still runs, after a moment to go; empty when all is well. */
  async leftovers(withinMs = 5_000): Promise<string[]> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const left = this.processes();
      if (left.length === 0 || performance.now() > deadline) return left;
      await sleep(50);
    }
  }

  /** Command lines of all that it started, itself included. */
  processes(): string[] {
    return commandsWith(MARK, this.#mark);
  }
}
