/**
 * Embeds the Redis scripts: reads every `*.lua` of the redis backend and writes `scripts.generated.ts`, which is not in git.
 * The build, Jest, the simulation, the lint and an install that runs `prepare` call it. A file that is up to date is left alone.
 *
 * `--@include clock` in a script stands for the text of `part-clock.lua`. Inside a function, it is defined only when
 * the function runs.
 * After `--@take queue from fair-queue`, every include of `queue` in the script gets `part-fair-queue.lua`.
 * A script has a second form for clusters if it includes a part that has one: `part-cluster-publish.lua` then replaces
 * `part-publish.lua`.
 * `QUEUE_TIMING.headLifeMs` stands for the number of that name in `core/queue-timing.ts`, and `tostring(…)` of it for
 * its text.
 *
 * `--check` writes nothing. It exits with 1 if the header of a part is wrong: `lua/part-headers.mjs` has the rules. Only
 * the check needs `luaparse`, so an install without it can embed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assemble, clusterParts, partsAndScripts, partsOf } from './lua/parts.mjs';
import { stripLua } from './lua/strip-lua.mjs';

const BACKEND = fileURLToPath(new URL('../libs/lock/src/backends/redis/', import.meta.url));
const SCRIPTS = join(BACKEND, 'scripts');
const MODULE = join(BACKEND, 'protocol/scripts.generated.ts');

/** `renew-many-3.lua` → `renewMany`: the number of keys is for readers of the folder. */
export function scriptName(file) {
  const base = file.replace(/\.lua$/, '').replace(/-\d+$/, '');
  return base.replace(/[-_.]+(\w)/g, (_, letter) => letter.toUpperCase());
}

/** A single-quoted literal in the format of this repository's formatter. */
function literal(text) {
  const escaped = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'");
  return `'${escaped}'`;
}

/** For each part that a cluster needs in another form: its text and its replacement. */
function swapsOf(parts) {
  const others = clusterParts(parts);
  const textOf = (name, among) => {
    const part = among.get(name);
    return stripLua(assemble(part.text, among, `part-${part.name}.lua`).text);
  };
  return [...parts.keys()]
    .filter((name) => others.get(name) !== parts.get(name))
    .map((name) => [textOf(name, parts), textOf(name, others)]);
}

function sha1Of(source) {
  return createHash('sha1').update(source).digest('hex');
}

/** The text of the generated module for pairs of file name and Lua text. */
export function render(given) {
  const { parts, scripts } = partsAndScripts(given);
  const seen = new Map();
  const swaps = swapsOf(parts);
  const entries = scripts.map(([file, text]) => {
    const name = scriptName(file);
    if (seen.has(name)) throw new Error(`${file} and ${seen.get(name)} would both be scripts.${name}`);
    seen.set(name, file);
    const form = (these) => stripLua(assemble(text, partsOf(text, these, file), file).text);
    const source = form(parts);
    if (source === '') throw new Error(`${file} has no code`);
    const inCluster = swaps.reduce((changed, [part, other]) => changed.replaceAll(part, other), source);
    if (inCluster !== form(clusterParts(parts)))
      throw new Error(`${file} has the text of a part without including it`);
    const lines = source
      .split('\n')
      .map((line, at, all) => literal(at + 1 < all.length ? `${line}\n` : line));
    return [
      `  /** ${file} */`,
      `  ${name}: {`,
      '    source:',
      `      ${lines.join(' +\n      ')},`,
      `    sha1: '${sha1Of(source)}',`,
      `    sha1InCluster: '${sha1Of(inCluster)}',`,
      '  },',
    ].join('\n');
  });
  const body = entries.length > 0 ? `{\n${entries.join('\n')}\n}` : '{}';
  const pairs = swaps.map((pair) => `  [\n${pair.map((text) => `    ${literal(text)},\n`).join('')}  ],\n`);
  return [
    '// Written by tools/embed-lua.mjs from scripts/*.lua. Do not edit: run `npm run embed`.',
    `export const scripts = ${body} as const;\n`,
    '/** What reads otherwise on a cluster, and how. */',
    `export const IN_CLUSTER = [${pairs.length > 0 ? `\n${pairs.join('')}` : ''}] as const;\n`,
  ].join('\n');
}

/** The Lua files of the backend, with their texts. */
function readScripts() {
  const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.lua'));
  return names.map((name) => [name, readFileSync(join(SCRIPTS, name), 'utf8')]);
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the module, if it is missing or a script has changed. */
export function embed() {
  const text = render(readScripts());
  if (readIfThere(MODULE) === text) return;
  // Another process may compile it at this moment, and must never see half of it.
  const draft = `${MODULE}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, MODULE);
}

async function check() {
  const { partFaults } = await import('./lua/part-headers.mjs');
  const faults = partFaults(readScripts());
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) await check();
  else embed();
}
