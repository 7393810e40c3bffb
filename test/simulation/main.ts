import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseCommandLine, type CommandLine } from './command-line.js';
import { runSeeds, type Job, type Tally } from './seed-runner.js';
import { traceTo } from './trace.js';

/** Between two signs of life, ms. */
const PROGRESS_MS = 20_000;

interface Progress {
  readonly seeds: number;
  readonly tally?: Tally;
}

/** A part of the seeds in a process of its own. */
function inWorker(job: Job, onProgress: (seeds: number) => void): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(import.meta.url), ['--worker', JSON.stringify(job)]);
    worker.on('message', ({ seeds, tally }: Progress) => {
      onProgress(seeds);
      if (tally !== undefined) resolve(tally);
    });
    worker.once('error', reject);
    // Its last message may be read after its exit.
    worker.once('close', (code) => reject(new Error(`a worker ended with ${code} before its seeds`)));
  });
}

async function work(job: Job): Promise<void> {
  // A stack costs more than all else of an error; the replay of a seed has it.
  Error.stackTraceLimit = 0;
  let seeds = 0;
  const tally = await runSeeds(job, () => {
    seeds += 1;
    if (seeds % 25 === 0) process.send!({ seeds });
  });
  process.send!({ seeds, tally } satisfies Progress, () => process.exit());
}

async function inWorkers({ from, seeds, workers, backend }: CommandLine): Promise<Tally[]> {
  const done = new Array<number>(workers).fill(0);
  const sum = (): number => done.reduce((all, one) => all + one, 0);
  const timer = setInterval(() => console.log(`${sum()} of ${seeds} seeds`), PROGRESS_MS);
  try {
    const jobs = done.map((_, i) => ({ from: from + i, seeds: seeds - i, step: workers, backend }));
    return await Promise.all(jobs.map((job, i) => inWorker(job, (count) => void (done[i] = count))));
  } finally {
    clearInterval(timer);
  }
}

/** Undefined for arguments that are wrong, once it is said. */
function parsed(args: readonly string[]): CommandLine | undefined {
  try {
    return parseCommandLine(args);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
    return undefined;
  }
}

async function main(args: readonly string[]): Promise<void> {
  const line = parsed(args);
  if (line === undefined) return;
  const { from, seeds, backend, isTraced, workers } = line;
  const beganAt = performance.now();
  const tallies =
    workers === 1
      ? [
          await runSeeds(
            { from, seeds, step: 1, backend },
            undefined,
            isTraced ? traceTo(console.log) : undefined,
          ),
        ]
      : await inWorkers(line);
  const failures = tallies.flatMap((tally) => tally.failures).sort((a, b) => a.seed - b.seed);
  for (const { seed, violations } of failures) {
    console.log(`seed ${seed} broke a promise:`);
    for (const text of violations) console.log(`  ${text}`);
    const chosen = backend === undefined ? '' : ` --backend ${backend}`;
    console.log(`  npm run simulate -- --seed ${seed} --trace${chosen}`);
  }
  const leases = tallies.reduce((sum, tally) => sum + tally.leases, 0);
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(0);
  console.log(`${seeds} seeds, ${leases} leases, ${failures.length} seeds failed, ${seconds} s`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

const [flag, job] = process.argv.slice(2);
if (flag === '--worker') await work(JSON.parse(job!) as Job);
else await main(process.argv.slice(2));
