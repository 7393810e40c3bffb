import { isLockError, type HolderView, type LockLostError } from 'bedrock-lock';
import { durationText } from '../output/durations.js';
import { holderText } from '../output/holder-text.js';
import { visible, visibleMessage } from '../output/visible.js';

/** What `run` says on standard error; standard output belongs to the command. */
export class RunMessages {
  constructor(
    private readonly resource: string,
    private readonly mode: 'text' | 'json',
    /** Report success too. */
    private readonly isVerbose: boolean,
    private readonly write: (line: string) => void,
  ) {}

  granted(waitedMs: number, token: number): void {
    const ordinal = token === 0 ? '' : `, token ${token}`;
    if (this.isVerbose)
      this.#say('granted', { waitedMs, token }, `granted after ${durationText(waitedMs)}${ordinal}`);
  }

  notGranted(waitedMs: number, holder: HolderView | undefined): void {
    const by = holder === undefined ? 'it is held' : `it is held by ${holderText(holder)}`;
    const wait = waitedMs === 0 ? '' : ` within ${durationText(waitedMs)}`;
    this.#say(
      'not granted',
      { waitedMs, holder },
      `was not granted${wait}: ${by}; the command was not started`,
    );
  }

  skipped(holder: HolderView | undefined): void {
    const by = holder === undefined ? '' : ` by ${holderText(holder)}`;
    if (this.isVerbose) this.#say('skipped', { holder }, `is held${by}; the command was skipped`);
  }

  unavailable(error: Error): void {
    this.#say('unavailable', reasonOf(error), `${visibleMessage(error)}; the command was not started`);
  }

  notStarted(command: string, error: Error): void {
    this.#say(
      'not started',
      { command, ...reasonOf(error) },
      `"${visible(command)}" could not be started: ${error.message}`,
    );
  }

  lost(error: LockLostError, graceMs: number): void {
    const next = `asking the command to end, and killing it in ${durationText(graceMs)}`;
    this.#say('lost', { ...reasonOf(error), heldMs: error.heldMs }, `${visibleMessage(error)}; ${next}`);
  }

  revoked(restMs: number): void {
    const next = `asking the command to end, and killing it in ${durationText(restMs)}`;
    this.#say('revoked', { restMs }, `was revoked; ${next}`);
  }

  backgroundProcesses(): void {
    this.#say(
      'background processes',
      {},
      'is held on: the command has ended, and processes that it started have not',
    );
  }

  unconfirmed(): void {
    this.#say(
      'release unconfirmed',
      {},
      'the backend did not confirm the release; the lock is free when its lease ends',
    );
  }

  #say(event: string, facts: object, text: string): void {
    const { resource } = this;
    this.write(
      this.mode === 'json'
        ? JSON.stringify({ event, resource, ...facts })
        : `bedrock: ${visible(resource)}: ${text}`,
    );
  }
}

function reasonOf(error: Error) {
  return { error: error.message, ...(isLockError(error) && { code: error.code }) };
}
