/** Finds the spec files that the changes since a commit touch. */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fits, specFiles } from '../../test/commands.mjs';
import { specsNaming } from './named-files.mjs';

const ROOT = join(import.meta.dirname, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/** Processes of these tests run the build instead of the test's imports. */
const OF_THE_BUILD = [
  'test/e2e/',
  'test/browser/',
  'test/repository/packages/',
  'test/faults/leaks.process.spec.ts',
  'test/faults/combination/',
];

/**
 * Dependencies that Jest's import graph does not contain. The first matching pattern decides; a file without a match
 * touches every spec file.
 */
const RULES = [
  // A script is embedded into a source file that git does not know, and runs in the simulation.
  {
    pattern: /^libs\/lock\/src\/.*\.lua$/,
    sources: ['libs/lock/src/backends/redis/protocol/scripts.generated.ts'],
    specs: ['test/repository/scripts/', 'test/simulation/', 'test/mutants/', ...OF_THE_BUILD],
  },
  {
    pattern: /\/migration\.sql$/,
    specs: [
      'test/unit/backends/sql/',
      'test/contract/mysql/mysql.spec.ts',
      'test/contract/postgres/postgres.spec.ts',
    ],
  },
  { pattern: /^apps\/shop\/src\/page\/static\//, specs: ['test/e2e/shop/', 'test/browser/'] },
  {
    pattern: /\.(md|svg|png)$/,
    isNamed: true,
    // Two specs put the names of pages together.
    specs: [
      'test/repository/docs/',
      'test/unit/core/longest-lease.spec.ts',
      'test/repository/bench/report.spec.ts',
    ],
  },
  // The processes of all crowds run it, from the build.
  {
    pattern: /^libs\/testkit\/src\/contender\//,
    sources: ['libs/testkit/src/contender/contender-process.ts'],
    specs: ['test/contract/', 'test/faults/'],
  },
  { pattern: /^(libs|apps)\/.*\.ts$/, isSource: true, specs: OF_THE_BUILD },
  { pattern: /^test\/contract\/promises\//, specs: ['test/contract/promises.spec.ts'] },
  { pattern: /^test\/repository\/public-api\//, specs: ['test/repository/public-api/public-api.spec.ts'] },
  { pattern: /^test\/mutants\//, specs: ['test/mutants/'] },
  { pattern: /^test\/interop\/redisson\/java\//, specs: ['test/interop/'] },
  { pattern: /^bench\//, specs: ['test/repository/bench/'] },
  {
    pattern:
      /^(compat|\.ci|\.github)\/|^(LICENSE|\.editorconfig|\.gitignore|\.prettierignore|prettier\.config\.js)$/,
    specs: [],
  },
  {
    pattern: /^test\/(?!support\/.*\.[cm]js$|tsconfig\.json$|package(-lock)?\.json$)/,
    isOfTests: true,
    specs: [],
  },
];

/**
 * Files that differ from the commit, including untracked ones.
 * @param {string} base
 */
export function changedSince(base) {
  const changed = git('diff', '--name-only', '--no-renames', base, '--');
  const unknown = git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...changed, ...unknown])].sort();
}

/**
 * @param {readonly string[]} changes
 * @returns {string[]} the spec files that these changes touch
 */
export function specsTouchedBy(changes) {
  const all = specFiles();
  const rules = changes.map((file) => ({ file, rule: RULES.find(({ pattern }) => pattern.test(file)) }));
  if (rules.some(({ rule }) => rule === undefined)) return all;
  const ofTests = rules.filter(({ rule }) => rule.isOfTests).map(({ file }) => file);
  const sources = rules.flatMap(({ file, rule }) => [
    ...(rule.sources ?? []),
    ...(rule.isSource || (rule.isOfTests && /\.m?[jt]s$/.test(file)) ? [file] : []),
  ]);
  const named = [...ofTests, ...rules.filter(({ rule }) => rule.isNamed).map(({ file }) => file)];
  const related = new Set([...relatedTo(sources), ...named.flatMap((file) => [...specsNaming(file)])]);
  const unnamed = ofTests.filter((file) => !file.endsWith('.spec.ts') && specsNaming(file).size === 0);
  const entries = [...rules.flatMap(({ rule }) => rule.specs), ...unnamed.map((file) => folderOf(file, all))];
  return all.filter((file) => related.has(file) || entries.some((entry) => fits(entry, file)));
}

/** The nearest ancestor folder with spec files: Jest loads the file, or a test starts it, without an import. */
function folderOf(file, specs) {
  let folder = dirname(file);
  while (!specs.some((spec) => fits(`${folder}/`, spec))) folder = dirname(folder);
  return `${folder}/`;
}

/** The spec files that import one of the sources, directly or indirectly. @param {readonly string[]} sources */
function relatedTo(sources) {
  if (sources.length === 0) return [];
  const args = [JEST, '--listTests', '--json', '--findRelatedTests', ...sources];
  const listed = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return JSON.parse(listed).map((file) => file.slice(ROOT.length + 1));
}

/** @param {...string} args */
function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}
