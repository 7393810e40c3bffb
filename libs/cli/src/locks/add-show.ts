import type { Command } from 'commander';
import { addBackendOptions, withBackend, type BackendOptions } from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { holderTable } from '../output/holder-table.js';
import { visible } from '../output/visible.js';
import { adminOf } from './admin-of.js';

/** Adds `show` to the program. @param exit receives the exit code */
export function addShow(program: Command, exit: (code: number) => void): void {
  const show = program
    .command('show')
    .description('show who holds a lock')
    .argument('<resource>', 'name of the lock, with its prefix and the parts of its key');
  addBackendOptions(show, 'bedrock show').action(async (resource: string, options: BackendOptions) => {
    const found = await withBackend(options, (backend) => adminOf(backend).find(resource));
    const holders = found.flatMap((kind) => kind.holders);
    const waiters = found.reduce((sum, kind) => sum + kind.waiters, 0);
    if (options.json === true) process.stdout.write(`${JSON.stringify({ resource, holders, waiters })}\n`);
    else if (holders.length === 0) process.stdout.write(`${visible(resource)} is free\n`);
    else {
      const state = waiters === 0 ? 'is held' : `is held (in its queue: ${waiters})`;
      process.stdout.write(`${visible(resource)} ${state}\n\n${holderTable(holders)}\n`);
    }
    exit(EXIT.ok);
  });
}
