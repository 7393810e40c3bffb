/**
 * Checks the parts of the Redis scripts, so that a reader may trust the header of a part:
 *
 * - `--@needs call, now` lists the names that the part reads or assigns without declaring them, in its own lines and in the
 *   parts that it includes. They have to be locals where the part is included.
 * - `--@sets time, now` lists the names that the part declares for its includer or assigns, and that code outside of it reads.
 * - A header without such a line needs, or sets, nothing. A stand-in (`--@take`, `part-cluster-…`) has its own header.
 * - In each script, in both forms, every name is set before its use.
 * - A part of five lines of code or less replaces another, is replaced, or has three includers. Else they contain its lines.
 *
 * KEYS, ARGV, redis and the libraries of Lua are in reach everywhere, so no header names them.
 */
import { usesOf } from './names.mjs';
import {
  assemble,
  clusterParts,
  clusterTakes,
  includesOf,
  partsAndScripts,
  partsOf,
  takesOf,
} from './parts.mjs';
import { stripLua } from './strip-lua.mjs';

const GIVEN = new Set(
  [
    'redis KEYS ARGV cjson cmsgpack bit struct string table math',
    'assert error ipairs next pairs pcall select tonumber tostring type unpack',
  ].flatMap((names) => names.split(' ')),
);
const FEW_LINES = 5;
const FEW_INCLUDERS = 2;

/**
 * The faults of the parts; empty when there are none.
 * @param {readonly (readonly [string, string])[]} given pairs of file name and Lua text
 * @returns {string[]}
 */
export function partFaults(given) {
  const { parts, scripts } = partsAndScripts(given);
  const unknown = [...given].flatMap(unknownDirectives);
  const forms = scripts.flatMap(([file, text]) => formsOf(file, text, parts));
  return [
    ...unknown,
    ...[...parts.values()].flatMap((part) => headerFaults(part, parts, forms)),
    ...new Set(forms.flatMap(namesNotSet)),
    ...smallParts(parts, scripts),
  ];
}

/** A script as a single server gets it, and as a cluster does: the uses of names, and the place of each part. */
function formsOf(file, text, parts) {
  return [parts, clusterParts(parts)].map((these) => {
    const { text: whole, places } = assemble(text, partsOf(text, these, file), file);
    return { file, places, uses: usesOf(whole) };
  });
}

/** A misspelt line would be a comment like any other. */
function unknownDirectives([file, text]) {
  const ofParts = /^--@(needs|sets) \w+(, \w+)*$/;
  const isKnown = (line) =>
    /^\s*--@include \S+\s*$|^--@take \S+ from \S+$/.test(line) ||
    (file.startsWith('part-') && ofParts.test(line));
  return text
    .split('\n')
    .filter((line) => /^\s*--@/.test(line) && !isKnown(line))
    .map((line) => `${file} has a line that means nothing: ${line}`);
}

function headerFaults(part, parts, forms) {
  const needs = namesOf(usesOf(assemble(part.text, parts, `part-${part.name}.lua`).text).filter(isFree));
  const sets = namesOf(
    forms.flatMap(({ places, uses }) =>
      places.filter((place) => place.part === part.name).flatMap((place) => readOutside(place, uses)),
    ),
  );
  return [...lineFaults(part, '--@needs', needs), ...lineFaults(part, '--@sets', sets)];
}

function lineFaults({ name, text }, word, names) {
  const lines = text.split('\n').filter((line) => line.startsWith(word));
  const said = lines.flatMap((line) => line.slice(word.length).split(',')).map((one) => one.trim());
  if (said.length === names.length && names.every((one) => said.includes(one))) return [];
  const wanted = names.length === 0 ? `no line ${word}` : `${word} ${names.join(', ')}`;
  return [`part-${name}.lua needs ${wanted} in its header, and has ${lines.join(' ') || 'no such line'}`];
}

/** Reads outside of a part that mean what the part declares or assigns. */
function readOutside({ start, end }, uses) {
  const isInside = (at) => at >= start && at < end;
  const assigned = new Set(
    uses.filter(({ isWrite, at }) => isWrite && isInside(at)).map(({ declaredAt }) => declaredAt),
  );
  return uses
    .filter(({ declaredAt, isWrite, at }) => declaredAt !== undefined && !isWrite && !isInside(at))
    .filter(({ declaredAt }) => isInside(declaredAt) || assigned.has(declaredAt));
}

function namesNotSet({ file, places, uses }) {
  return uses.filter(isFree).map(({ name, at }) => {
    const part = places.filter(({ start, end }) => at >= start && at < end).at(-1)?.part;
    return `${part === undefined ? file : `part-${part}.lua in ${file}`} uses ${name}, which is not set before`;
  });
}

function smallParts(parts, scripts) {
  const texts = [...scripts.map(([, text]) => text), ...[...parts.values()].map(({ text }) => text)];
  const replaceable = new Set([...texts.flatMap(takesOf), ...clusterTakes(parts)].flat());
  return [...parts.values()]
    .filter(({ name }) => !replaceable.has(name))
    .map(({ name, text }) => ({
      name,
      lines: linesOf(text),
      includers: texts.filter((one) => includesOf(one).includes(name)).length,
    }))
    .filter(({ lines, includers }) => lines <= FEW_LINES && includers <= FEW_INCLUDERS)
    .map(
      ({ name, lines, includers }) =>
        `part-${name}.lua has ${lines} lines of code: put them in its ${includers} includers`,
    );
}

/** Lines of code, with those that include other parts. */
function linesOf(text) {
  return stripLua(text.replaceAll('--@include ', 'include = ')).split('\n').length;
}

function isFree({ name, declaredAt }) {
  return declaredAt === undefined && !GIVEN.has(name);
}

function namesOf(uses) {
  return [...new Set(uses.map(({ name }) => name))].filter((name) => !GIVEN.has(name));
}
