/** What became of the mutants, as Markdown. */
import { readFileSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';

const DOCS = new URL('../../docs/safety/proofs.md', import.meta.url);
const SECTION = /(<!-- mutants -->\n)[^]*?(\n<!-- \/mutants -->)/;

export function tableOf(found) {
  const rows = found.map(({ mutant, seed, violation, tried }) =>
    seed === undefined
      ? [mutant.name, mutant.breaks, 'NOT CAUGHT', '', tried]
      : [mutant.name, mutant.breaks, ruleOf(violation), seed, tried],
  );
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return [
    '| mutant | what it does | caught by | seed | tried |',
    '| --- | --- | --- | ---: | ---: |',
    ...lines,
  ].join('\n');
}

/** The promise that was broken. */
function ruleOf(violation) {
  return /\bI\d+\b/.exec(violation)?.[0] ?? 'an error that no user should meet';
}

/** Writes the table where docs/safety/proofs.md has room for it. */
export async function writeDocs(found) {
  const text = readFileSync(DOCS, 'utf8');
  if (!SECTION.test(text)) throw new Error('docs/safety/proofs.md has no place for the mutants');
  const options = await prettier.resolveConfig(DOCS);
  const table = await prettier.format(tableOf(found), { ...options, parser: 'markdown' });
  writeFileSync(
    DOCS,
    text.replace(SECTION, (_, begin, end) => `${begin}\n${table}${end}`),
  );
}
