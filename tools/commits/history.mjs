/** Reads the commits of the repository, with the size of each. */
import { spawnSync } from 'node:child_process';

/**
 * The lint applies from the commit that added this file. It is searched for, since a stored hash could become stale.
 */
const INTRODUCED_BY = 'tools/lint-commits.mjs';
const GENERATED = /(^|\/)package-lock\.json$|\.generated\.ts$|\.api\.txt$/;
const [COMMIT, FIELD] = ['\u0001', '\u0002'];

/** Why the commits cannot be read: reported, but not a failure. */
export class NoHistoryError extends Error {}

/**
 * The commits to lint, oldest first, without merges.
 * @param {{ readonly from: string | undefined, readonly to: string, readonly cwd?: string }} range excludes `from`;
 * without it, all commits since the lint began
 * @returns {import('./rules.mjs').Commit[]}
 * @throws {NoHistoryError}
 */
export function commitsIn({ from, to, cwd = process.cwd() }) {
  const git = (...args) => run(cwd, args);
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true')
    throw new NoHistoryError('the clone is shallow; "git fetch --unshallow" brings its history');
  const range = from === undefined ? sinceTheLint(git, to) : [to, `^${from}`];
  if (range === undefined) return [];
  const format = `--format=${COMMIT}%H${FIELD}%s${FIELD}%b${FIELD}`;
  return git('log', '--no-merges', '--reverse', '-M', '--numstat', format, ...range, '--')
    .split(COMMIT)
    .slice(1)
    .map(commitOf);
}

/** The commit that began the lint, and all since. Undefined if the lint has not begun. */
function sinceTheLint(git, to) {
  const added = git(
    'log',
    '--no-merges',
    '--diff-filter=A',
    '--format=%H %P',
    to,
    '--',
    INTRODUCED_BY,
  ).trim();
  if (added === '') return undefined;
  const [, ...parents] = added.split('\n').at(-1).split(' ');
  return [to, ...parents.filter(Boolean).map((parent) => `^${parent}`)];
}

function commitOf(text) {
  const [hash, subject, body, numstat] = text.split(FIELD);
  return { hash, subject, body: body.trim(), changedLines: linesIn(numstat) };
}

/** Rows are `added  deleted  path`; a binary file has `-` for both. */
function linesIn(numstat) {
  const rows = Array.from(numstat.matchAll(/^(\d+)\t(\d+)\t(.+)$/gm));
  const written = rows.filter(([, , , path]) => !GENERATED.test(path));
  return written.reduce((sum, [, added, deleted]) => sum + Number(added) + Number(deleted), 0);
}

function run(cwd, args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new NoHistoryError(`git ${args[0]} failed: ${error?.message ?? stderr.trim().split('\n')[0]}`);
}
