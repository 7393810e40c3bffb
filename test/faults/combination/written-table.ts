import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const [BEGIN, END] = ['<!-- faults -->', '<!-- /faults -->'];
// Seen from the compiled program.
const PAGE = fileURLToPath(new URL('../../../../docs/safety.md', import.meta.url));

/** Puts the table between the marks in docs/safety.md. @throws Error when they are not there */
export async function writeTable(table: string): Promise<void> {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no ${BEGIN} … ${END}`);
  const page = `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n${text.slice(end)}`;
  writeFileSync(PAGE, await format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}
