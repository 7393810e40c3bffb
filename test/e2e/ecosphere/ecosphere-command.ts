import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NO_SERVERS } from '../../support/no-servers.js';

/** What the tests run: the built command, as `npm start` does. */
const MAIN = join(import.meta.dirname, '../../../apps/ecosphere/dist/main.js');

/** For `lock-delay`: its default lease of 300 ms is lost where a busy machine stops the process for that long. */
export const LONG_LEASE = ['--lease-ms', '3000', '--hold-ms', '6000'];

/** A busy machine may keep a process waiting for longer than the default of 1,000 ms, of which its start takes five. */
export const LONG_TIMEOUT = ['--operation-timeout-ms', '10000'];

/**
 * For a sale, whose stock knows no fencing: a busy machine that stands for some seconds ends the default lease of 10 s in
 * the middle of a purchase.
 */
export const SALE_LEASE = ['--lease-ms', '25000'];

/** What a run of the command came to. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly string[];
  /** The verdict; of a run that came to none, why. */
  readonly lastLine: string;
}

/** Starts `npm start -- <args>` in a process group of its own, without its build. */
export function startEcosphere(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    detached: true,
    // What the machine of the test has set must not decide: neither the options of Jest's own node, nor a server.
    env: { ...process.env, NODE_OPTIONS: '', ...NO_SERVERS, ...environment },
  });
}

/** Runs it to its end. */
export async function ecosphere(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const child = startEcosphere(args, environment);
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  const lines = stdout.trimEnd().split('\n');
  const lastSaid = code === 0 || code === 1 ? lines : stderr.trimEnd().split('\n');
  const lastLine = signal === null ? lastSaid.at(-1)! : `ended by ${signal}`;
  return { code, stdout, stderr, lines, lastLine };
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream!) text += String(chunk);
  return text;
}
