import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { javaSide } from './build.js';
import { JavaError, parseAnswer, type Reply } from './words.js';

const START_WITHIN_MS = 30_000;
const DUMP_WITHIN_MS = 1_000;
/** Kept of what a JVM writes besides answers, in characters: room for a thread dump. */
const MOST_TOLD = 60_000;
/** Shown of it in an error, in characters. */
const MOST_SHOWN = 4_000;
/** A small JVM that is quick to start. */
const FLAGS = [
  '-Xmx128m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

export interface JavaOptions {
  readonly version: string;
  /** Where Redis is; servers of a cluster are joined by commas. */
  readonly url: string;
  /** Lease of a lock that is taken without one; renewed every third of it. */
  readonly watchdogMs: number;
}

export type RawReply = Reply<string | undefined>;

interface Pending {
  resolve(reply: RawReply): void;
  reject(error: Error): void;
}

/** A JVM with a client of Redisson, driven by lines of text. It ends with this process, however that ends. */
export class JavaProcess {
  /** First part of the holder ids of this client, as Bedrock sees them. */
  clientId = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<string, Pending>();
  #requests = 0;
  /** Whatever else the JVM has written. */
  #told = '';

  /** @throws Error when Java or Maven is missing, or when the client cannot connect */
  static async start(options: JavaOptions): Promise<JavaProcess> {
    const { java, classpath } = await javaSide(options.version);
    const args = [options.url, String(options.watchdogMs)];
    const child = spawn(java, [...FLAGS, '-classpath', classpath, 'bedrock.interop.Main', ...args]);
    const started = new JavaProcess(child);
    await started.#ready();
    return started;
  }

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    // A process that has ended takes no more input; its requests are rejected anyway.
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#note(text));
    createInterface(child.stdout).on('line', (line) => this.#read(line));
    child.once('close', () => {
      for (const { reject } of this.#pending.values()) reject(this.#ended());
      this.#pending.clear();
    });
  }

  /** Asks on a thread of this name; requests of one thread are served in order, each when the one before has ended. */
  ask(thread: string, words: readonly string[]): Promise<RawReply> {
    const id = String(++this.#requests);
    const answered = new Promise<RawReply>((resolve, reject) => {
      if (this.#hasEnded) reject(this.#ended());
      else this.#pending.set(id, { resolve, reject });
    });
    // A test that has failed awaits no more answers.
    answered.catch(() => undefined);
    this.#child.stdin.write(`${[id, thread, ...words].map(encodeURIComponent).join(' ')}\n`);
    return answered;
  }

  /** Where the threads of its crowds stand: their stacks, as the JVM prints them on SIGQUIT. */
  async crowdStacks(): Promise<string[]> {
    this.#told = '';
    this.#child.kill('SIGQUIT');
    await sleep(DUMP_WITHIN_MS);
    return this.#told.split('\n\n').filter((stack) => stack.startsWith('"pool-'));
  }

  /** Ends the JVM at once, as a crash does: nothing is released. */
  async halt(): Promise<void> {
    if (this.#hasEnded) return;
    const closed = once(this.#child, 'close');
    this.#child.stdin.end('0 main none none halt\n');
    await closed;
  }

  async #ready(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), START_WITHIN_MS);
    try {
      const { value } = await new Promise<RawReply>((resolve, reject) => {
        this.#child.once('error', reject);
        this.#pending.set('ready', { resolve, reject });
      });
      this.clientId = value ?? '';
    } finally {
      clearTimeout(timer);
    }
  }

  #read(line: string): void {
    const answer = parseAnswer(line);
    if (answer === undefined) return this.#note(`${line}\n`);
    const { id, outcome } = answer;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (outcome instanceof JavaError) pending?.reject(outcome);
    else pending?.resolve(outcome);
  }

  #note(text: string): void {
    this.#told = (this.#told + text).slice(-MOST_TOLD);
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #ended(): Error {
    return new Error(`the Java side has ended: ${this.#told.slice(-MOST_SHOWN)}`);
  }
}
