import type { Command } from 'commander';
import { addBackendOptions, withBackend, type BackendOptions } from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { plainTable } from '../output/plain-table.js';
import { visible } from '../output/visible.js';
import { adminOf } from './admin-of.js';

/** Adds `processes` to the program. @param exit receives the exit code */
export function addProcesses(program: Command, exit: (code: number) => void): void {
  const processes = program.command('processes').description('list the processes that use locks here');
  addBackendOptions(processes, 'bedrock processes').action(async (options: BackendOptions) => {
    const all = await withBackend(options, async (backend) =>
      // This one has announced itself too.
      (await adminOf(backend).processes()).filter(({ id }) => id !== backend.processId),
    );
    const sorted = [...all].sort((a, b) =>
      `${a.label} ${a.host} ${a.pid}` < `${b.label} ${b.host} ${b.pid}` ? -1 : 1,
    );
    if (options.json === true) for (const one of sorted) process.stdout.write(`${JSON.stringify(one)}\n`);
    else if (sorted.length === 0) process.stderr.write('no process is known\n');
    else {
      const rows = sorted.map(({ id, label = '', pid, host }) => [
        visible(label),
        String(pid),
        visible(host),
        visible(id),
      ]);
      process.stdout.write(`${plainTable(['LABEL', 'PID', 'HOST', 'ID'], rows)}\n`);
    }
    exit(EXIT.ok);
  });
}
