import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the tests run: the built entries, as an operator does. */
const DIST = join(import.meta.dirname, '../../../apps/shop/dist');
const END_WITHIN_MS = 8_000;

const open = new Set<ShopProcess>();
/** Those that ended unasked, with their last words. */
const fallen: string[] = [];

/** Ends what a test has opened, however it went; for `afterEach`. */
export async function endProcesses(): Promise<void> {
  await Promise.all([...open].map((one) => one.end()));
}

/** @throws Error where a process has ended unasked since the last call: what failed meanwhile, failed by that */
export function expectNoneFallen(): void {
  const words = fallen.splice(0);
  if (words.length > 0) throw new Error(words.join('\n'));
}

/** One process of the shop, as its operator sees it. */
export class ShopProcess {
  /** Resolves with the exit code, or the signal that ended it, when all its output is read. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;
  #stderr = '';
  #url = '';
  #isAskedToEnd = false;

  /** Resolves when it has said where it listens. */
  static async open(service: 'orders' | 'stock', environment: NodeJS.ProcessEnv): Promise<ShopProcess> {
    const one = ShopProcess.start(service, environment);
    await one.#listening();
    return one;
  }

  /** Does not wait for it to listen. */
  static start(service: 'orders' | 'stock', environment: NodeJS.ProcessEnv): ShopProcess {
    // What the machine of the test has set must not decide.
    const { PATH } = process.env;
    return new ShopProcess(
      service,
      spawn(process.execPath, ['--enable-source-maps', join(DIST, service, 'main.js')], {
        env: { PATH, NO_COLOR: '1', ...environment },
      }),
    );
  }

  private constructor(service: string, child: ChildProcess) {
    this.#child = child;
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
    void this.ended.then((end) => {
      open.delete(this);
      if (this.#url === '' || this.#isAskedToEnd) return;
      fallen.push(`the process of ${service} at ${this.#url} has ended unasked, by ${end}: ${this.#stderr}`);
    });
    open.add(this);
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  /** What it wrote on its standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** As a crash has it. */
  async kill(): Promise<void> {
    this.#isAskedToEnd = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** In order when it can be. */
  async end(): Promise<number | NodeJS.Signals> {
    this.#isAskedToEnd = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
    const end = await this.ended;
    clearTimeout(timer);
    return end;
  }

  async #listening(): Promise<void> {
    for await (const line of createInterface(this.#child.stdout!)) {
      this.#url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? '';
      if (this.#url !== '') return;
    }
    throw new Error(`the service did not open: ${this.stderr}`);
  }
}
