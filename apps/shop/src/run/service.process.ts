import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const END_WITH_PARENT = new URL('./end-with-parent.js', import.meta.url).href;
const CLOSE_WITHIN_MS = 8_000;
/** Length of its last output, in the message about a failed start. */
const LAST_WORDS = 2_000;
const LAST_WORDS_WITHIN_MS = 2_000;

const living = new Set<ChildProcess>();
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** Start options of a service. */
export interface ServiceOptions {
  /** Its name in the line with its URL. */
  readonly title: string;
  /** Its entry, relative to this folder: `../stock/main.js`. */
  readonly entry: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A service in a process of its own, as seen by its operator. */
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

  /** Starts it, on its earlier port if it had one. @throws if it ends instead of listening */
  async start(): Promise<void> {
    const { title, entry, environment } = this.#options;
    const script = fileURLToPath(new URL(entry, import.meta.url));
    const child = spawn(process.execPath, ['--enable-source-maps', '--import', END_WITH_PARENT, script], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C goes to the run, which closes everything in order.
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
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdin.on('error', () => undefined);
    let words = '';
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (words = (words + text).slice(-LAST_WORDS)));
    for await (const line of createInterface(child.stdout)) {
      const port = new RegExp(`^${title} at http://[\\d.]+:(\\d+)$`).exec(line)?.[1];
      if (port === undefined) continue;
      this.#port = Number(port);
      // The run stops reading: without this, a full pipe would block the service.
      child.stdout.resume();
      return;
    }
    // Its last words may come after the end of its other output.
    await Promise.race([closed, sleep(LAST_WORDS_WITHIN_MS, undefined, { ref: false })]);
    throw new Error(`the ${title} did not start: ${words.trim() || 'it printed nothing'}`);
  }

  /** Ends it at once, whatever it does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it gracefully if possible. */
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
