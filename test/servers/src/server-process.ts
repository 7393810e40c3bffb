import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataFolder } from './data-folder.js';
import { guard, type Guard } from './exit-guard.js';
import { freeze } from './processes.js';
import type { RunningServer, ServerSource } from './running-server.js';
import { serverUrl } from './server-url.js';

/** How to run one kind of server; everything that differs between Redis, etcd and the others. */
export interface ServerRecipe {
  readonly name: string;
  readonly scheme: string;
  /** Account and database that the URL names. */
  readonly login?: string;
  readonly database?: string;
  readonly source: ServerSource;
  readonly port: number;
  /** A folder of the caller's, which stays; without it a temporary one is made and removed at `stop()`. */
  readonly dir?: string | undefined;
  /** Empties `dir` first. */
  readonly fresh?: boolean | undefined;
  /** Program and arguments, given the folder. */
  command(dir: string): readonly [string, ...string[]];
  /** Answers whether the server is ready; may reject while it is not. */
  isReady(port: number): Promise<boolean>;
}

const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 5_000;
/** How long a process of the server's own may hold its output open when the server has ended. */
const OUTPUT_WITHIN_MS = 2_000;

/** A server that runs as a child of this process. */
export class ServerProcess implements RunningServer {
  readonly host = '127.0.0.1';
  readonly #recipe: ServerRecipe;
  readonly #dir: string;
  readonly #temporary: boolean;
  #child: ChildProcess | undefined;
  #output = '';
  #guard: Guard | undefined;

  static async start(recipe: ServerRecipe): Promise<ServerProcess> {
    const server = new ServerProcess(recipe);
    await server.#start();
    return server;
  }

  private constructor(recipe: ServerRecipe) {
    this.#recipe = recipe;
    this.#temporary = recipe.dir === undefined;
    if (recipe.dir !== undefined && recipe.fresh) rmSync(recipe.dir, { recursive: true, force: true });
    if (recipe.dir !== undefined) mkdirSync(recipe.dir, { recursive: true });
    this.#dir = recipe.dir ?? newDataFolder(recipe.name);
  }

  get url(): string {
    return serverUrl({ ...this.#recipe, host: this.host });
  }

  get port(): number {
    return this.#recipe.port;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get source(): ServerSource {
    return this.#recipe.source;
  }

  async stop(): Promise<void> {
    await this.#end();
    if (this.#temporary) rmSync(this.#dir, { recursive: true, force: true });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async restart(): Promise<void> {
    await this.#end();
    await this.#start();
  }

  pause(): void {
    if (this.pid !== undefined) freeze([this.pid]);
  }

  resume(): void {
    this.kill('SIGCONT');
  }

  async #start(): Promise<void> {
    const [program, ...args] = this.#recipe.command(this.#dir);
    const child = spawn(program, args, { cwd: this.#dir, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-4_000);
      });
      // A server that is left running must not keep this process alive.
      if (stream instanceof Socket) stream.unref();
    }
    child.unref();
    child.on('error', (error) => (this.#output += error.message));
    if (child.pid !== undefined) {
      const guarded = guard(child.pid, this.#temporary ? this.#dir : undefined);
      child.once('exit', () => guarded.processEnded());
      this.#guard = guarded;
    }
    try {
      await this.#ready(child);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #ready(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (performance.now() < deadline) {
      await sleep(10);
      if (hasEnded(child)) {
        await outputEnded(child);
        throw new Error(`${this.#recipe.name} ended at its start:\n${this.#output}`);
      }
      const answered = await this.#recipe.isReady(this.port).catch(() => false);
      if (answered && !hasEnded(child)) return;
    }
    throw new Error(`${this.#recipe.name} was not ready in ${READY_WITHIN_MS} ms:\n${this.#output}`);
  }

  /** Asks politely, then kills. A frozen process cannot act on SIGTERM, so it is woken first. */
  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    if (!hasEnded(child)) {
      child.ref();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(timer);
    }
    this.#child = undefined;
    this.#guard?.release();
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** The exit of a process may be known before its last output is read. */
async function outputEnded({ stdout, stderr }: ChildProcess): Promise<void> {
  const deadline = performance.now() + OUTPUT_WITHIN_MS;
  while (performance.now() < deadline && !(stdout!.closed && stderr!.closed)) await sleep(10);
}
