/** Parses the arguments of `npm test -- …`: its own flags, paths, and flags of Jest, which are passed on. */
import { COMMANDS, ENGINES } from '../../test/commands.mjs';

export const USAGE = `npm test -- [flags] [paths] [flags of Jest]
  --engines LIST   only the files that need no other engine, such as redis,postgres (of ${ENGINES.join(', ')})
  --list           list the spec files and run none
  --help           show this text
Paths select spec files of all commands: npm test -- test/unit/engine. The commands:
${COMMANDS.map(({ name, content }) => `  npm run ${name.padEnd(13)} ${content}`).join('\n')}
  npm run test:all      all of the above, in sequence
  npm run test:changed  the tests that changes since a commit affect (--base REV, by default uncommitted changes)
  npm run test:watch -- PATH   rerun on each change
  npm run test:repeat   the timing-sensitive suites, 20 times with busy loops`;

/** Flags of Jest with a separate value, which is not a path. */
const WITH_VALUE = new Set([
  '-t',
  '--testNamePattern',
  '--outputFile',
  '-w',
  '--maxWorkers',
  '--testTimeout',
  '--shard',
  '--reporters',
  '--seed',
  '--base',
]);

/** The caller's mistake: only its message is shown. */
export class UsageError extends Error {}

/**
 * @param {readonly string[]} args
 * @returns {{ engines: readonly string[] | undefined, isList: boolean, isHelp: boolean, base: string | undefined,
 *   paths: string[], jest: string[], outputFile: string | undefined }}
 * @throws {UsageError}
 */
export function parseCommandLine(args) {
  const line = { engines: undefined, isList: false, isHelp: false, base: undefined, outputFile: undefined };
  const [paths, jest] = [[], []];
  for (let i = 0; i < args.length; i += 1) {
    const [flag, inline] = args[i].startsWith('--') ? splitFlag(args[i]) : [args[i], undefined];
    const takesValue = WITH_VALUE.has(flag) || flag === '--engines';
    const value = takesValue && inline === undefined ? args[++i] : inline;
    if (takesValue && value === undefined) throw new UsageError(`${flag} needs a value`);
    if (flag === '--engines') line.engines = enginesOf(value);
    else if (flag === '--list') line.isList = true;
    else if (flag === '--help') line.isHelp = true;
    else if (flag === '--base') line.base = value;
    else if (flag === '--outputFile') line.outputFile = value;
    else if (flag.startsWith('-'))
      jest.push(takesValue ? `${flag === '-t' ? '--testNamePattern' : flag}=${value}` : args[i]);
    else paths.push(args[i]);
  }
  return { ...line, paths, jest };
}

/** @param {string} text */
function splitFlag(text) {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function enginesOf(text) {
  const names = text.split(',').filter(Boolean);
  const unknown = names.filter((name) => !ENGINES.includes(name));
  if (names.length === 0 || unknown.length > 0)
    throw new UsageError(`--engines must be a list of ${ENGINES.join(', ')}; got "${text}"`);
  return names;
}
