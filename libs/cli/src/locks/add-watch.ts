import { BackendUnavailableError, type Backend } from 'bedrock-lock';
import type { HeldResource } from 'bedrock-lock/backend';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addBackendOptions,
  durationOption,
  withBackend,
  type BackendOptions,
} from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { lockTable } from '../output/lock-table.js';
import { visibleMessage } from '../output/visible.js';
import { withoutShape } from './add-list.js';
import { listLocks } from './list-locks.js';

interface WatchOptions extends BackendOptions {
  readonly interval: number;
}

/** Between two lists, in ms. */
const INTERVAL_MS = 2_000;
/** Rows where the terminal does not say how many it has. */
const ROWS = 24;
/** The title, the line of names, and a rest for the prompt. */
const OTHER_ROWS = 4;
/** Moves to the upper left corner, and clears the screen below. */
const CLEAR = '\u001b[H\u001b[J';

/** Adds `watch` to the program. @param exit receives the exit code */
export function addWatch(program: Command, exit: (code: number) => void): void {
  const watch = program
    .command('watch')
    .description('show the locks that are held, those with the longest queues first, until Ctrl-C')
    .argument('[prefix]', 'beginning of their names', '')
    .addOption(
      durationOption('--interval <time>', 'pause between two lists (2s by default)').default(
        INTERVAL_MS,
        '2s',
      ),
    );
  addBackendOptions(watch, 'bedrock watch').action(async (prefix: string, options: WatchOptions) => {
    const stopping = new AbortController();
    const stop = (): void => stopping.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
    try {
      await withBackend(options, (backend) => showUntil(stopping.signal, backend, prefix, options));
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    }
    exit(EXIT.ok);
  });
}

async function showUntil(
  stopped: AbortSignal,
  backend: Backend,
  prefix: string,
  { json, interval }: WatchOptions,
): Promise<void> {
  for (let lists = 0; !stopped.aborted; lists += 1) {
    try {
      const locks = await listUntil(stopped, backend, prefix);
      if (locks === undefined) return;
      process.stdout.write(json === true ? jsonText(locks) : screenText(locks));
    } catch (error) {
      // Once the backend has answered, the watch outlasts an outage.
      if (lists === 0 || !(error instanceof BackendUnavailableError)) throw error;
      process.stderr.write(`${visibleMessage(error)}\n`);
    }
    await sleep(interval, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** Those with the longest queues first; undefined when it was stopped. */
async function listUntil(
  stopped: AbortSignal,
  backend: Backend,
  prefix: string,
): Promise<readonly HeldResource[] | undefined> {
  const locks: HeldResource[] = [];
  for await (const one of listLocks(backend, prefix, stopped)) locks.push(one);
  if (stopped.aborted) return undefined;
  return locks.sort((a, b) => b.waiters - a.waiters || (a.resource < b.resource ? -1 : 1));
}

function jsonText(locks: readonly HeldResource[]): string {
  return `${JSON.stringify({ at: new Date().toISOString(), locks: locks.map(withoutShape) })}\n`;
}

function screenText(locks: readonly HeldResource[]): string {
  const { isTTY, rows = ROWS } = process.stdout;
  const shown = isTTY ? locks.slice(0, Math.max(1, rows - OTHER_ROWS)) : locks;
  const waiters = locks.reduce((sum, one) => sum + one.waiters, 0);
  const rest = shown.length < locks.length ? `, the first ${shown.length} of them here` : '';
  const title = `${new Date().toISOString()}  locks: ${locks.length}${rest}  waiters: ${waiters}`;
  return `${isTTY ? CLEAR : ''}${title}\n${shown.length === 0 ? '' : `${lockTable(shown)}\n`}${isTTY ? '' : '\n'}`;
}
