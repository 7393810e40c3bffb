import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SIGNALLED } from '../output/exit-codes.js';
import { livingGroups } from './group-members.js';
import { OrphanGuard } from './orphan-guard.js';

/** Pause between two looks at the processes once the command has ended, in ms: at first and at most. */
const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 500;

/** A command and all that it starts: a session of its own, with the input and output of this process. */
export class CommandGroup {
  /** The exit code of the command, or 128 + n when signal n ended it. */
  readonly exitCode: Promise<number>;
  readonly #session: number;
  #ended: Promise<void> | undefined;
  /** From then on another session may have the number. */
  #isOver = false;

  private constructor(
    child: ChildProcess,
    private readonly guard: OrphanGuard,
  ) {
    this.#session = child.pid!;
    this.exitCode = once(child, 'exit').then(([code, signal]) =>
      codeOf(code as number | null, signal as string),
    );
  }

  /**
   * @param graceMs how long the processes may take to end when they are asked to
   * @throws the error of the system when the command cannot be started: ENOENT, EACCES and others
   */
  static async start(
    [command, ...args]: readonly [string, ...string[]],
    environment: NodeJS.ProcessEnv,
    graceMs: number,
  ): Promise<CommandGroup> {
    const guard = new OrphanGuard(graceMs);
    const env = { ...environment, ...guard.mark };
    const child = spawn(command, args, { detached: true, stdio: 'inherit', env });
    if (child.pid === undefined) {
      guard.dismiss();
      // Rejects with the error instead where there is one.
      await once(child, 'spawn');
    } else {
      guard.watch(child.pid);
    }
    return new CommandGroup(child, guard);
  }

  send(signal: NodeJS.Signals): void {
    if (this.#isOver) return;
    for (const group of livingGroups(this.#session)) {
      try {
        process.kill(-group, signal);
      } catch {
        // All have ended, or belong to another user now.
      }
    }
  }

  /** Asks all processes to end, and kills those that are left after the grace. */
  async end(graceMs: number): Promise<void> {
    this.send('SIGTERM');
    // A stopped process hears of it only when it goes on.
    this.send('SIGCONT');
    const ended = new AbortController();
    await Promise.race([
      this.ended().finally(() => ended.abort()),
      sleep(graceMs, undefined, { signal: ended.signal }).then(
        () => this.send('SIGKILL'),
        () => undefined,
      ),
    ]);
  }

  /** Resolves once the command and all that it has left in its session have ended. */
  ended(): Promise<void> {
    this.#ended ??= this.#watch();
    return this.#ended;
  }

  async #watch(): Promise<void> {
    await this.exitCode;
    for (
      let pauseMs = FIRST_LOOK_MS;
      livingGroups(this.#session).length > 0;
      pauseMs = Math.min(LONGEST_LOOK_MS, pauseMs * 2)
    )
      await sleep(pauseMs);
    this.#isOver = true;
    this.guard.dismiss();
  }
}

function codeOf(code: number | null, signal: string | null): number {
  if (code !== null) return code;
  return SIGNALLED + constants.signals[signal as NodeJS.Signals];
}
