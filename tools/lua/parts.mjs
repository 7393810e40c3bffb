/** Puts Redis scripts together from their parts: what `--@include`, `--@take` and `QUEUE_TIMING` stand for. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ readonly name: string, readonly text: string }} Part a stand-in keeps its own name
 * @typedef {ReadonlyMap<string, Part>} Parts by the name that is included
 * @typedef {{ readonly part: string, readonly start: number, readonly end: number }} Place of a part in a text
 */

const PART = /^part-(.+)\.lua$/;
const INCLUDE = /^[ \t]*--@include (\S+)[ \t]*$/gm;
const TAKE = /^--@take (\S+) from (\S+)$/gm;
const CLUSTER = 'cluster-';
const TIMING_FILE = fileURLToPath(new URL('../../libs/lock/src/core/queue-timing.ts', import.meta.url));

/**
 * The parts and the scripts among pairs of file name and Lua text, with the times put where they are named.
 * @param {Iterable<readonly [string, string]>} given
 */
export function partsAndScripts(given) {
  const timing = queueTiming();
  /** @type {Map<string, Part>} */
  const parts = new Map();
  /** @type {[string, string][]} */
  const scripts = [];
  for (const [file, text] of given) {
    const timed = withTiming(text, timing, file);
    const [, name] = PART.exec(file) ?? [];
    if (name === undefined) scripts.push([file, timed]);
    else parts.set(name, { name, text: timed });
  }
  scripts.sort(([a], [b]) => (a < b ? -1 : 1));
  return { parts, scripts };
}

/**
 * The parts as this script wants them: some may stand in for others.
 * @param {string} text @param {Parts} parts @param {string} file
 */
export function partsOf(text, parts, file) {
  const own = new Map(parts);
  for (const [name, other] of takesOf(text)) {
    if (!parts.has(other)) throw new Error(`${file} takes ${other}, but there is no part-${other}.lua`);
    own.set(name, parts.get(other));
  }
  return own;
}

/** The parts as a cluster needs them. @param {Parts} parts */
export function clusterParts(parts) {
  return new Map([...parts, ...clusterTakes(parts).map(([name, other]) => [name, parts.get(other)])]);
}

/** What a cluster replaces, and by which part. @param {Parts} parts @returns {[string, string][]} */
export function clusterTakes(parts) {
  const others = [...parts.keys()].filter((name) => name.startsWith(CLUSTER));
  return others.map((other) => [other.slice(CLUSTER.length), other]);
}

/** What a script replaces, and by which part. @param {string} text @returns {[string, string][]} */
export function takesOf(text) {
  return [...text.matchAll(TAKE)].map(([, name, other]) => [name, other]);
}

/** The names that a text includes itself. @param {string} text */
export function includesOf(text) {
  return [...text.matchAll(INCLUDE)].map(([, name]) => name);
}

/**
 * A text with the parts where it and other parts include them, and the place of each part.
 * @param {string} text @param {Parts} parts @param {string} file @param {readonly string[]} [within]
 * @returns {{ text: string, places: Place[] }}
 */
export function assemble(text, parts, file, within = []) {
  const places = [];
  let whole = '';
  let end = 0;
  for (const { 0: line, 1: name, index } of text.matchAll(INCLUDE)) {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`${file} includes ${name}, but there is no part-${name}.lua`);
    if (within.includes(name)) throw new Error(`part-${name}.lua includes itself`);
    const inner = assemble(part.text, parts, `part-${part.name}.lua`, [...within, name]);
    whole += text.slice(end, index);
    const start = whole.length;
    whole += inner.text;
    places.push({ part: part.name, start, end: whole.length });
    for (const place of inner.places)
      places.push({ ...place, start: start + place.start, end: start + place.end });
    end = index + line.length;
  }
  return { text: whole + text.slice(end), places };
}

/** The times of a queue of waiters, by name, as the library has them. */
function queueTiming() {
  const source = readFileSync(TIMING_FILE, 'utf8');
  const [, body = ''] = /QUEUE_TIMING: QueueTiming = Object\.freeze\(\{([^}]*)\}\)/.exec(source) ?? [];
  const pairs = [...body.matchAll(/^\s*(\w+): ([\d_]+),$/gm)];
  if (pairs.length === 0) throw new Error(`cannot read QUEUE_TIMING from ${TIMING_FILE}`);
  return new Map(pairs.map(([, name, ms]) => [name, ms.replaceAll('_', '')]));
}

/** Puts the times where a script names them. */
function withTiming(text, timing, file) {
  const of = (name) => {
    const ms = timing.get(name);
    if (ms === undefined)
      throw new Error(`${file} names QUEUE_TIMING.${name}, which core/queue-timing.ts does not have`);
    return ms;
  };
  return text
    .replace(/\btostring\(QUEUE_TIMING\.(\w+)\)/g, (_, name) => `'${of(name)}'`)
    .replace(/\bQUEUE_TIMING\.(\w+)/g, (_, name) => of(name));
}
