import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

// Seen from the compiled program.
const PAGE = fileURLToPath(new URL('../../../../docs/safety/faults.md', import.meta.url));

/**
 * Puts what a command found between its marks in docs/safety/faults.md, `<!-- name -->` and `<!-- /name -->`, with the day and the commit
 * that it was found on.
 * @throws Error when the marks are not there
 */
export async function writeResult(name: 'faults' | 'soak', result: string): Promise<void> {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = readFileSync(PAGE, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no ${begin} … ${end}`);
  const page = `${text.slice(0, from + begin.length)}\n\n${result}\n\n${occasion()}\n\n${text.slice(to)}`;
  writeFileSync(PAGE, await format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

/** A figure without its code proves nothing about the code of today. */
function occasion(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'libs', 'test') !== '';
  const commit = `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ', with changes' : ''}`;
  return `Written on ${new Date().toISOString().slice(0, 10)}, on commit ${commit}.`;
}
