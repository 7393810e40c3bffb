/** The program of one contending process: `main.js <backend and job as JSON>`; its history goes to the standard output. */
import { writeSync } from 'node:fs';
import type { Backend } from 'bedrock-lock';
import { contend } from './contend.js';
import type { BackendSource, ContenderJob } from './contender-job.js';

const { source, job, label } = JSON.parse(process.argv[2]!) as {
  source: BackendSource;
  job: ContenderJob;
  label: string;
};
const entry = (await import(source.module)) as Record<string, (...args: readonly unknown[]) => Backend>;

// Nobody is left to read the history, nor to stop this process.
const orphaned = (): never => process.exit(1);
process.once('disconnect', orphaned);

await contend(job, {
  backend: entry[source.factory]!(...source.args),
  label,
  write: (event) => write(`${JSON.stringify(event)}\n`),
  crash: () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
});
process.off('disconnect', orphaned);
process.disconnect();

// Written before the next statement runs: a killed process has told all that it did.
function write(line: string): void {
  for (let rest = Buffer.from(line); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
