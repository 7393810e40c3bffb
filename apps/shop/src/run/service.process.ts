import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const END_WITH_PARENT = new URL('./end-with-parent.js', import.meta.url).href;
const CLOSE_WITHIN_MS = 8_000;
/** Of its last words, for the message of a failed start. */
const LAST_WORDS = 2_000;

const living = new Set<ChildProcess>();
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** What a service is started with. */
export interface ServiceOptions {
  /** As it calls itself in the line that says where it listens. */
  readonly title: string;
  /** Its entry, from this folder: `../stock/main.js`. */
  readonly entry: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A service in a process of its own, as its operator sees it. */
export class ServiceProcess {
  readonly #options: ServiceOptions;
  #child: ChildProcess | undefined;
  #port = 0;

  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const service = new ServiceProcess(options);
    await service.start();
    return service;
  }

  private constructor(options: ServiceOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts it, on the port that it had before if it did. @throws when it ends instead of listening */
  async start(): Promise<void> {
    const { title, entry, environment } = this.#options;
    const script = fileURLToPath(new URL(entry, import.meta.url));
    const child = spawn(process.execPath, ['--enable-source-maps', '--import', END_WITH_PARENT, script], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C is for the run, which closes what it has in order.
      detached: true,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        ...environment,
        ...(this.#port > 0 && { PORT: String(this.#port) }),
      },
    });
    this.#child = child;
    living.add(child);
    child.once('exit', () => living.delete(child));
    child.stdin.on('error', () => undefined);
    let words = '';
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (words = (words + text).slice(-LAST_WORDS)));
    for await (const line of createInterface(child.stdout)) {
      const port = new RegExp(`^${title} at http://[\\d.]+:(\\d+)$`).exec(line)?.[1];
      if (port === undefined) continue;
      this.#port = Number(port);
      // Nobody reads on: without this it would stop at a full pipe.
      child.stdout.resume();
      return;
    }
    throw new Error(`the ${title} did not start: ${words.trim() || 'it printed nothing'}`);
  }

  /** Ends it at once, wherever it is. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** In order when it can be. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), CLOSE_WITHIN_MS);
    await this.#end('SIGTERM');
    clearTimeout(timer);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
