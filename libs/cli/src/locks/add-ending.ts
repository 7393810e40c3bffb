import { LockTypeMismatchError, type Backend, type ClaimView } from 'bedrock-lock';
import type { Shape } from 'bedrock-lock/backend';
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { addBackendOptions, withBackend, type BackendOptions } from '../input/backend-options.js';
import { UsageError } from '../input/usage-error.js';
import { EXIT } from '../output/exit-codes.js';
import { holderTable } from '../output/holder-table.js';
import { visible } from '../output/visible.js';
import { adminOf } from './admin-of.js';

interface EndingOptions extends BackendOptions {
  readonly holder?: string;
  readonly yes?: true;
  readonly dryRun?: true;
}

/** A way to end the grants of a lock against the will of its holders. */
interface Ending {
  readonly verb: 'revoke' | 'release';
  readonly how: 'atExpiry' | 'now';
  readonly description: string;
  /** What it does to the holders. */
  readonly consequence: string;
  readonly done: string;
}

const ENDINGS: readonly Ending[] = [
  {
    verb: 'revoke',
    how: 'atExpiry',
    description: 'refuse renewals to the holders: the lock is free when their leases end',
    consequence:
      'Their renewals are refused: each hears of it, and loses the lock at the end of its lease. A holder in Java (Redisson) renews all the same.',
    done: 'is revoked for',
  },
  {
    verb: 'release',
    how: 'now',
    description: 'free a lock at once, also if its holders still work',
    consequence:
      'The lock is free at once. A holder that is still working is told a moment later, and may do harm until it has stopped: only fencing tokens protect from that.',
    done: 'was taken from',
  },
];

/** Adds `revoke` and `release` to the program. @param exit receives the exit code */
export function addEndings(program: Command, exit: (code: number) => void): void {
  for (const ending of ENDINGS) {
    const command = program
      .command(ending.verb)
      .description(ending.description)
      .argument('<resource>', 'name of the lock, with its prefix and the parts of its key')
      .option('--holder <id>', 'only this holder, as `bedrock show` names it')
      .option('-y, --yes', 'do not ask')
      .option('--dry-run', 'only show the holders');
    addBackendOptions(command, `bedrock ${ending.verb}`).action(
      async (resource: string, options: EndingOptions) => {
        if (options.sessions === true)
          throw new UsageError('only its session can free such a lock: end the session in the database');
        exit(await withBackend(options, (backend) => end(backend, resource, ending, options)));
      },
    );
  }
}

/** A holder, with what the backend has to be told of its kind of lock. */
interface Target {
  readonly shape: Shape;
  readonly holder: ClaimView;
}

async function end(
  backend: Backend,
  resource: string,
  ending: Ending,
  options: EndingOptions,
): Promise<number> {
  const found = await adminOf(backend).find(resource);
  const targets = found
    .flatMap(({ shape, holders }) => holders.map((holder) => ({ shape, holder })))
    .filter(({ holder }) => options.holder === undefined || holder.id === options.holder);
  if (targets.length === 0) {
    const isFree = found.length === 0;
    tell(
      options,
      resource,
      { ended: [], changed: [] },
      isFree ? 'is free' : 'has another holder; it was left alone',
    );
    return isFree ? EXIT.ok : EXIT.conflict;
  }
  const holders = targets.map(({ holder }) => holder);
  process.stderr.write(`${visible(resource)} is held\n\n${holderTable(holders)}\n\n${ending.consequence}\n`);
  if (options.dryRun === true) {
    if (options.json === true) process.stdout.write(`${JSON.stringify({ resource, holders })}\n`);
    return EXIT.ok;
  }
  if (options.yes !== true && !(await isConfirmed(ending.verb))) return EXIT.conflict;
  return endAll(backend, resource, ending, { targets, options });
}

async function endAll(
  backend: Backend,
  resource: string,
  { how, done }: Ending,
  { targets, options }: { readonly targets: readonly Target[]; readonly options: EndingOptions },
): Promise<number> {
  const answers = await Promise.allSettled(
    targets.map(({ shape, holder: { id } }) => backend.leases.revoke(resource, shape, how, id)),
  );
  const idsWhere = (is: (answer: PromiseSettledResult<boolean>) => boolean) =>
    targets.flatMap(({ holder: { id } }, at) => (is(answers[at]!) ? [id] : []));
  const ended = idsWhere((answer) => answer.status === 'fulfilled' && answer.value);
  const changed = idsWhere((answer) =>
    answer.status === 'fulfilled' ? !answer.value : isOtherKind(answer.reason),
  );
  const failed = answers.flatMap((answer) =>
    answer.status === 'rejected' && !isOtherKind(answer.reason) ? [answer.reason as Error] : [],
  );
  if (ended.length > 0 || failed.length === 0)
    tell(options, resource, { ended, changed }, outcomeText(done, ended, changed));
  if (failed.length > 0) throw failed[0]!;
  return changed.length === 0 ? EXIT.ok : EXIT.conflict;
}

function outcomeText(done: string, ended: readonly string[], changed: readonly string[]): string {
  const parts = [
    ...(ended.length > 0 ? [`${done} ${ended.map((id) => visible(id)).join(', ')}`] : []),
    ...(changed.length > 0
      ? [`has changed meanwhile, and was left to ${changed.map((id) => visible(id)).join(', ')}`]
      : []),
  ];
  return parts.join('; ');
}

/** The name has a lock of another kind by now. */
function isOtherKind(error: unknown): boolean {
  return error instanceof LockTypeMismatchError;
}

function tell({ json }: EndingOptions, resource: string, facts: object, text: string): void {
  process.stdout.write(
    json === true ? `${JSON.stringify({ resource, ...facts })}\n` : `${visible(resource)} ${text}\n`,
  );
}

/** @throws UsageError where there is no terminal to ask on */
async function isConfirmed(verb: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError(`add --yes to ${verb} it: there is no terminal to ask on`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`Really ${verb} it? [y/N] `)).trim());
  } catch {
    // Ctrl-C and Ctrl-D are a no.
    return false;
  } finally {
    terminal.close();
  }
}
