import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What the tests run: the built command, as the package has it. */
export const MAIN = join(import.meta.dirname, '../../../libs/cli/dist/main.js');

/** How a run of `bedrock` ended, and what it said. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of `bedrock` that goes on. */
export interface RunningCommand {
  readonly process: ChildProcess;
  /** What it has said so far. */
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<Outcome>;
}

export interface StartOptions {
  /** More variables; undefined takes one away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What the command reads. */
  readonly input?: string;
}

export function startBedrock(
  args: readonly string[],
  { environment, input }: StartOptions = {},
): RunningCommand {
  const child = spawn(process.execPath, [MAIN, ...args], {
    // Neither the options of Jest's own node, nor a backend of the machine must decide.
    env: { ...process.env, NODE_OPTIONS: '', BEDROCK_URL: undefined, ...environment },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (said.stderr += String(chunk)));
  // A command that ends without reading is no fault of the test.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const ended = once(child, 'close').then((end) => {
    const [code, signal] = end as [number | null, NodeJS.Signals | null];
    return { code, signal, ...said };
  });
  return { process: child, said, ended };
}

/** A text to wait for, and the keys to press then. */
export interface Typing {
  readonly see: string;
  readonly type: string;
}

/** The key Ctrl-C. */
export const CTRL_C = '\u0003';

/** Runs `bedrock` in a pseudo-terminal, where both outputs are one. */
export async function bedrockInTerminal(
  args: readonly string[],
  typing: readonly Typing[] = [],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Outcome> {
  // A shell between would end by the Ctrl-C that the command answers: dash does, bash does not.
  const line = `exec ${[process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { ...process.env, NODE_OPTIONS: '', BEDROCK_URL: undefined, ...environment },
  });
  const waiting = [...typing];
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    const [next] = waiting;
    if (next === undefined || !stdout.includes(next.see)) return;
    waiting.shift();
    child.stdin.write(next.type);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: withoutWarnings(stdout), stderr: '' };
}

/** The library warns of an old etcd: not what these tests are about. */
export function withoutWarnings(said: string): string {
  return said.replaceAll(/^\(node:\d+\) \[BEDROCK_.*\r?\n|^\(Use `node .*\r?\n/gm, '');
}

/** Runs `bedrock` to its end. */
export function bedrock(args: readonly string[], options?: StartOptions): Promise<Outcome> {
  return startBedrock(args, options).ended;
}
