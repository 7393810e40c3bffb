import type { Command } from 'commander';
import { addBackendOptions, withBackend, type BackendOptions } from '../input/backend-options.js';
import { EXIT } from '../output/exit-codes.js';
import { holderTable } from '../output/holder-table.js';
import { visible } from '../output/visible.js';
import { findHolders } from './find-holders.js';

/** Adds `show` to the program. @param exit receives the exit code */
export function addShow(program: Command, exit: (code: number) => void): void {
  const show = program
    .command('show')
    .description('show who holds a lock')
    .argument('<resource>', 'name of the lock, with its prefix and the parts of its key');
  addBackendOptions(show, 'bedrock show').action(async (resource: string, options: BackendOptions) => {
    const found = await withBackend(options, (backend) => findHolders(backend, resource));
    const holders = found.flatMap((kind) => kind.holders);
    if (options.json === true) process.stdout.write(`${JSON.stringify({ resource, holders })}\n`);
    else if (holders.length === 0) process.stdout.write(`${visible(resource)} is free\n`);
    else process.stdout.write(`${visible(resource)} is held\n\n${holderTable(holders)}\n`);
    exit(EXIT.ok);
  });
}
