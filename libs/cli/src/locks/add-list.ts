import { Option, type Command } from 'commander';
import type { HeldResource } from 'bedrock-lock/backend';
import { addBackendOptions, withBackend, type BackendOptions } from '../input/backend-options.js';
import { parseCount } from '../input/parse-count.js';
import { EXIT } from '../output/exit-codes.js';
import { lockTable } from '../output/lock-table.js';
import { listLocks } from './list-locks.js';

interface ListOptions extends BackendOptions {
  readonly limit: number;
}

/** Adds `ls` to the program. @param exit receives the exit code */
export function addList(program: Command, exit: (code: number) => void): void {
  const list = program
    .command('ls')
    .description('list the locks that are held')
    .argument('[prefix]', 'beginning of their names', '')
    .addOption(
      new Option('--limit <n>', 'most locks that are listed')
        .default(1_000)
        .argParser((text: string) => parseCount('--limit', text)),
    );
  addBackendOptions(list, 'bedrock ls').action(async (prefix: string, options: ListOptions) => {
    const { limit, json } = options;
    const { locks, isCut } = await withBackend(options, async (backend) => {
      const found: HeldResource[] = [];
      for await (const one of listLocks(backend, prefix)) {
        if (found.length === limit) return { locks: found, isCut: true };
        if (json === true) process.stdout.write(`${JSON.stringify(withoutShape(one))}\n`);
        found.push(one);
      }
      return { locks: found, isCut: false };
    });
    locks.sort((a, b) => (a.resource < b.resource ? -1 : 1));
    if (json !== true && locks.length > 0) process.stdout.write(`${lockTable(locks)}\n`);
    if (json !== true && locks.length === 0) process.stderr.write('no lock is held\n');
    if (isCut) process.stderr.write(`there are more than ${limit}: see --limit, or give a prefix\n`);
    exit(EXIT.ok);
  });
}

/** What people and scripts want of a lock. */
export function withoutShape({ resource, holders, waiters }: HeldResource): object {
  return { resource, holders, waiters };
}
