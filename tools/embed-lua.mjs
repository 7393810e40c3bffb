/**
 * Embeds the Redis scripts: reads every `*.lua` of the redis backend and writes `scripts.generated.ts`.
 * `--@include clock` in a script stands for the text of `part-clock.lua`. Inside a function, it is defined only when
 * the function runs.
 * After `--@take queue from fair-queue`, every include of `queue` in the script gets `part-fair-queue.lua`.
 * A script has a second form for clusters if it includes a part that has one: `part-cluster-publish.lua` then replaces
 * `part-publish.lua`.
 * `QUEUE_TIMING.headLifeMs` stands for the number of that name in `core/queue-timing.ts`, and `tostring(…)` of it for
 * its text.
 * `--check` writes nothing, and exits with 1 if the committed file is out of date.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assemble, clusterParts, partsAndScripts, partsOf } from './lua/parts.mjs';

/** `renew-many-3.lua` → `renewMany`: the number of keys is for readers of the folder. */
export function scriptName(file) {
  const base = file.replace(/\.lua$/, '').replace(/-\d+$/, '');
  return base.replace(/[-_.]+(\w)/g, (_, letter) => letter.toUpperCase());
}

/**
 * Removes comments, indentation and empty lines, so that the server parses only the code. Keeps lines inside a long
 * string, and comments that follow code.
 */
export function stripLua(text) {
  const kept = [];
  let insideComment;
  let insideString;
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    if (insideString) {
      kept.push(line);
      if (line.includes(insideString)) insideString = undefined;
      continue;
    }
    let rest = line.trim();
    if (insideComment) {
      const end = rest.indexOf(insideComment);
      if (end < 0) continue;
      rest = rest.slice(end + insideComment.length).trim();
      insideComment = undefined;
    }
    const comment = /^--\[(=*)\[/.exec(rest);
    if (comment) {
      const close = `]${comment[1]}]`;
      const end = rest.indexOf(close);
      if (end < 0) {
        insideComment = close;
        continue;
      }
      rest = rest.slice(end + close.length).trim();
    }
    if (rest === '' || rest.startsWith('--')) continue;
    const string = /\[(=*)\[/.exec(rest);
    if (string && !rest.slice(string.index).includes(`]${string[1]}]`)) insideString = `]${string[1]}]`;
    kept.push(insideString ? line.trimStart() : rest);
  }
  return kept.join('\n');
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

function readLua(folder) {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.lua'));
    return names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function main() {
  const backend = fileURLToPath(new URL('../libs/lock/src/backends/redis/', import.meta.url));
  const target = join(backend, 'protocol/scripts.generated.ts');
  const files = readLua(join(backend, 'scripts'));
  if (files === undefined) return;
  const text = render(files);
  if (readIfThere(target) === text) return;
  if (process.argv.includes('--check')) {
    console.error(
      'libs/lock/src/backends/redis/protocol/scripts.generated.ts is outdated: run `npm run embed`',
    );
    process.exitCode = 1;
    return;
  }
  writeFileSync(target, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
