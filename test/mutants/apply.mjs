/** Makes a mutant: the simulation as it would be, had the library been written that way. */
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { render } from '../../tools/embed-lua.mjs';
import { javaScriptOf, transpile } from '../simulation/transpile.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIBRARY = 'libs/lock/src';
const SCRIPTS = join(LIBRARY, 'backends/redis/scripts');
const EMBEDDED = join(LIBRARY, 'backends/redis/protocol/scripts.generated.ts');

/**
 * The text of the mutant's file.
 * @throws Error when what it replaces is not there exactly once: the code has changed, and the mutant has to follow
 */
export function mutatedText({ name, file, find, replace }) {
  const text = readFileSync(join(ROOT, LIBRARY, file), 'utf8');
  const places = text.split(find).length - 1;
  if (places !== 1)
    throw new Error(`mutant "${name}": ${places} places in ${file} have the text that it replaces`);
  return text.replace(find, () => replace);
}

/** The production code as it is, ready to run, in `folder`. */
export function original(folder) {
  transpile(folder);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** A copy of the original in `folder`, changed to the mutant. */
export function mutate(from, folder, mutant) {
  cpSync(from, folder, { recursive: true, verbatimSymlinks: true });
  const isScript = mutant.file.endsWith('.lua');
  const path = isScript ? EMBEDDED : join(LIBRARY, mutant.file);
  const text = isScript ? embedded(mutant) : mutatedText(mutant);
  writeFileSync(join(folder, path.replace(/\.ts$/, '.js')), javaScriptOf(path, text));
  return folder;
}

// The scripts are put together anew from their parts, so that the servers know them by their hashes.
function embedded(mutant) {
  const names = readdirSync(join(ROOT, SCRIPTS)).filter((name) => name.endsWith('.lua'));
  const isMutated = (name) => mutant.file === join('backends/redis/scripts', name);
  return render(
    names.map((name) => [
      name,
      isMutated(name) ? mutatedText(mutant) : readFileSync(join(ROOT, SCRIPTS, name), 'utf8'),
    ]),
  );
}
