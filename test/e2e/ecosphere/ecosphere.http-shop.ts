import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Figures } from '../../../apps/ecosphere/src/shop-front/sale.controller.js';
import { NO_SERVERS } from '../../support/no-servers.js';

/** What the tests run: the built command, as `npm run serve` does. */
const SERVE = join(import.meta.dirname, '../../../apps/ecosphere/dist/serve.js');
const END_WITHIN_MS = 8_000;

const open = new Set<Shop>();

/** Ends what a test has opened, however it went; for `afterEach`. */
export async function endShops(): Promise<void> {
  await Promise.all([...open].map((shop) => shop.end()));
}

/** Shops that sell from one stock on one Redis, each a process of its own on a free port. */
export async function openShops(count: number, redis: string, stock: number): Promise<Shop[]> {
  return Promise.all(Array.from({ length: count }, () => Shop.open(redis, stock)));
}

/** Runs `npm run serve -- <args>` until it ends by itself. */
export async function serve(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly stderr: string; readonly isAllEnded: boolean }> {
  const child = start(args, environment, true);
  const stderr = textOf(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: stderr(), isAllEnded: !isGroupAlive(child.pid!) };
}

/** One process of the shop, as its operator sees it. */
export class Shop {
  /** Resolves with the exit code, or the signal that ended it, when all its output is read. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #child: ChildProcess;
  readonly #stderr: () => string;
  #url = '';

  static async open(redis: string, stock: number): Promise<Shop> {
    const shop = new Shop(start(['--port', '0', '--redis', redis, '--stock', String(stock)]));
    await shop.#listening();
    return shop;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#stderr = textOf(child);
    this.ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
    void this.ended.then(() => open.delete(this));
    open.add(this);
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** What it wrote on its standard error. */
  get stderr(): string {
    return this.#stderr();
  }

  async figures(): Promise<Figures> {
    const answer = await fetch(`${this.url}/flash-sale`, { headers: { connection: 'close' } });
    return (await answer.json()) as Figures;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** In order when it can be: a stopped process is woken first. */
  async end(): Promise<void> {
    if (!open.has(this)) return;
    this.signal('SIGTERM');
    this.signal('SIGCONT');
    const timer = setTimeout(() => this.signal('SIGKILL'), END_WITHIN_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Resolves when it has said where it listens. */
  async #listening(): Promise<void> {
    for await (const line of createInterface(this.#child.stdout!)) {
      this.#url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? '';
      if (this.#url !== '') return;
    }
    throw new Error(`the shop did not open: ${this.stderr}`);
  }
}

/** @param detached in a process group of its own, of which the servers that it starts are part */
function start(args: readonly string[], environment: NodeJS.ProcessEnv = {}, detached = false): ChildProcess {
  return spawn(process.execPath, [SERVE, ...args], {
    detached,
    // What the machine of the test has set must not decide.
    env: { ...process.env, NODE_OPTIONS: '', ...NO_SERVERS, PORT: '', ...environment },
  });
}

function textOf(child: ChildProcess): () => string {
  let text = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}

function isGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}
