import type { Backend } from 'bedrock-lock';
import { Option, type Command } from 'commander';
import {
  addBackendOptions,
  backendOf,
  durationOption,
  type BackendOptions,
} from '../input/backend-options.js';
import { parseCount } from '../input/parse-count.js';
import { UsageError } from '../input/usage-error.js';
import { EXIT } from '../output/exit-codes.js';
import { plainTable } from '../output/plain-table.js';
import type { Figures } from './repeat.js';
import { scenarios, type BenchSettings } from './scenarios.js';

interface BenchOptions extends BackendOptions {
  readonly callers: number;
  readonly for: number;
  readonly prefix: string;
}

const DEFAULT_DURATION_MS = 3_000;
const DEFAULT_CALLERS = 16;
const MOST_CALLERS = 10_000;
const HEAD = ['WHAT', 'PER SECOND', 'MEDIAN', '95 %', '99 %'];
const EXPLANATION = `
Each scenario takes and releases locks of its own as fast as the server allows. It puts load on the server: do not run it against one
without spare capacity.`;

/** Adds `bench` to the program. @param exit receives the exit code */
export function addBench(program: Command, exit: (code: number) => void): void {
  const bench = program
    .command('bench')
    .description('measure how fast locks are on a server')
    .argument('[url]', 'as --url')
    .addOption(durationOption('--for <time>', 'duration of each scenario').default(DEFAULT_DURATION_MS, '3s'))
    .addOption(
      new Option('--callers <n>', 'callers at the same time')
        .default(DEFAULT_CALLERS)
        .argParser((text: string) => parseCount('--callers', text)),
    )
    .option('--prefix <text>', 'beginning of the names of its locks', '')
    .addHelpText('after', EXPLANATION);
  addBackendOptions(bench, 'bedrock bench').action(async (url: string | undefined, options: BenchOptions) => {
    const { url: other, callers, for: durationMs, prefix } = options;
    if (url !== undefined && other !== undefined) throw new UsageError('give the URL once');
    if (callers > MOST_CALLERS) throw new UsageError(`--callers must be at most ${MOST_CALLERS}`);
    await run({ ...options, ...(url !== undefined && { url }) }, { callers, durationMs, prefix });
    exit(EXIT.ok);
  });
}

async function run(options: BackendOptions, settings: BenchSettings): Promise<void> {
  const backends = [await backendOf(options, process.env)];
  try {
    backends.push(await backendOf({ ...options, label: `${options.label} 2` }, process.env));
    const [first, second] = backends as [Backend, Backend];
    await Promise.all([first.ready(), second.ready()]);
    const all: Figures[] = [];
    for await (const figures of scenarios([first, second], settings)) {
      if (options.json === true) process.stdout.write(`${JSON.stringify(figures)}\n`);
      all.push(figures);
    }
    if (options.json !== true) process.stdout.write(`${plainTable(HEAD, all.map(cellsOf))}\n`);
  } finally {
    await Promise.all(backends.map((backend) => backend.close()));
  }
}

function cellsOf({ what, perSecond, medianMs, p95Ms, p99Ms }: Figures): string[] {
  return [what, perSecond.toFixed(0), ...[medianMs, p95Ms, p99Ms].map((ms) => `${ms.toFixed(2)} ms`)];
}
