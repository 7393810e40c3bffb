/**
 * Finds the users of a test file or a page: by an import, as a program that they start, or by reading it. Jest's graph
 * contains only the imports.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { filesOf, ROOT } from '../../test/commands.mjs';

const READABLE = /\.(ts|mts|mjs|cjs)$/;
const QUOTED = /['"`]([\w./-]+\.\w+)['"`]/g;

/**
 * The spec files that reach a file by the names in their text, directly or indirectly.
 * @param {string} file relative to the root
 * @returns {Set<string>}
 */
export function specsNaming(file) {
  const namedBy = graph();
  const seen = new Set([file]);
  for (const one of seen) for (const other of namedBy.get(one) ?? []) seen.add(other);
  return new Set([...seen].filter((one) => one.endsWith('.spec.ts')));
}

/** @type {Map<string, Set<string>> | undefined} */
let known;

/** For each test file, the files that name it. */
function graph() {
  if (known !== undefined) return known;
  const files = filesOf('test', 'apps');
  const all = new Set([...files, ...filesOf('docs').filter((one) => one.endsWith('.md'))]);
  known = new Map();
  for (const file of files.filter((one) => READABLE.test(one))) {
    const texts = Array.from(readFileSync(join(ROOT, file), 'utf8').matchAll(QUOTED), ([, text]) => text);
    const named = texts.flatMap((text) => meantBy(text, file));
    for (const one of named) if (all.has(one) && one !== file) add(known, one, file);
  }
  return known;
}

/** Resolves a path next to the file or from the root, and an imported compiled file to its source. */
function meantBy(text, file) {
  const paths = [resolve('/', dirname(file), text), resolve('/', text)].map((path) => path.slice(1));
  return paths.flatMap((path) => [path, path.replace(/\.(m?)js$/, '.$1ts')]);
}

function add(map, key, value) {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}
