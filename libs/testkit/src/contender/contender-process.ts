import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseHistory, type HistoryEvent } from '../history/history-event.js';
import type { BackendModule, ContenderJob } from './contender-job.js';
import type { ContenderCommand, ContenderRequest } from './contender-command.js';

/** The compiled program; this path is valid from the sources and from the build. */
const PROGRAM = fileURLToPath(new URL('../../dist/contender/main.js', import.meta.url));

/** One contender in a process of its own. */
export class ContenderProcess {
  /** Events reported so far. */
  readonly events: HistoryEvent[] = [];
  readonly label: string;
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();
  #errors = '';
  #rest = '';
  #hasEnded = false;

  /** Starts the process at once. @throws Error if the package has not been built */
  constructor(source: BackendModule, job: ContenderJob, label = job.label ?? 'p1') {
    if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: build bedrock-testkit first`);
    this.label = label;
    const task = JSON.stringify({ source, job, label });
    this.#child = fork(PROGRAM, [task], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#child.on('message', ({ ms }: ContenderRequest) => this.#nap(ms));
    this.#child.once('close', () => {
      this.#hasEnded = true;
      this.#notify();
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** SIGSTOP freezes it, SIGCONT thaws it, SIGKILL crashes it. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Blocks its event loop for this time. */
  block(ms: number): void {
    this.#send({ kind: 'block', ms });
  }

  /** Each of its tasks ends after its current cycle. */
  finish(): void {
    this.#send({ kind: 'finish' });
  }

  /** Resolves with the first matching event, past or future. @throws Error if the process ends before */
  async until<E extends HistoryEvent['kind']>(
    kind: E,
    fits: (event: HistoryEvent & { kind: E }) => boolean = () => true,
  ): Promise<HistoryEvent & { kind: E }> {
    const find = (): (HistoryEvent & { kind: E }) | undefined =>
      this.events.find(
        (event): event is HistoryEvent & { kind: E } => event.kind === kind && fits(event as never),
      );
    for (let event = find(); ; event = find()) {
      if (event !== undefined) return event;
      if (this.#hasEnded)
        throw new Error(`${this.label} ended without "${kind}": ${this.#errors.slice(-2_000)}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Resolves when the process has ended. @throws Error if it failed (not if it was killed) */
  async ended(): Promise<void> {
    if (!this.#hasEnded) await once(this.#child, 'close');
    const { exitCode } = this.#child;
    if (exitCode !== null && exitCode !== 0)
      throw new Error(`${this.label} failed with ${exitCode}: ${this.#errors.slice(-2_000)}`);
  }

  /** Kills the process if it still runs. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }

  #nap(ms: number): void {
    this.signal('SIGSTOP');
    setTimeout(() => this.signal('SIGCONT'), ms);
  }

  #send(command: ContenderCommand): void {
    // A process that has ended, or is ending, needs no commands.
    if (this.#child.connected) this.#child.send(command, () => undefined);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    this.events.push(...parseHistory(lines.join('\n')));
    this.#notify();
  }

  #notify(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const resolve of watchers) resolve();
  }
}
