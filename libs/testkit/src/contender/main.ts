/**
 * The program of one contending process: `main.js <backend and job as JSON>`; it writes its history to the standard
 * output.
 */
import { sleepWhenStopped } from './machine-sleep.js';
import { writeSync } from 'node:fs';
import type { Backend } from 'bedrock-lock';
import { contend } from './contend.js';
import type { BackendModule, ContenderBody, ContenderJob, ModuleSource } from './contender-job.js';
import type { ContenderCommand, ContenderRequest } from './contender-command.js';

const { source, job, label } = JSON.parse(process.argv[2]!) as {
  source: BackendModule;
  job: ContenderJob;
  label: string;
};
const backend = (await make(source)) as Backend;
const body = job.body && ((await make(job.body)) as ContenderBody);

// The parent is gone: no process reads the history or stops this one.
const orphaned = (): never => process.exit(1);
process.once('disconnect', orphaned);

let isFinished = false;
process.on('message', (command: ContenderCommand) => {
  if (command.kind === 'finish') isFinished = true;
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.ms);
});

await contend(job, {
  ...{ backend, label, body },
  isFinished: () => isFinished,
  write: (event) => write(`${JSON.stringify(event)}\n`),
  nap: (ms) => {
    process.send!({ kind: 'nap', ms } satisfies ContenderRequest);
  },
  onWake: sleepWhenStopped,
  crash: () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
});
process.off('disconnect', orphaned);
process.disconnect();

async function make({ module, factory, args }: ModuleSource): Promise<unknown> {
  const entry = (await import(module)) as Record<string, (...args: readonly unknown[]) => unknown>;
  return entry[factory]!(...args);
}

// Written before the next statement runs: a killed process has reported all that it did.
function write(line: string): void {
  for (let rest = Buffer.from(line); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
