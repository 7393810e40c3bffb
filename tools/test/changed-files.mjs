/** Which spec files the changes since a commit touch. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fits, specFiles } from '../../test/commands.mjs';

const ROOT = join(import.meta.dirname, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/** What Jest's graph of imports cannot see. The first pattern that fits decides; what fits none touches everything. */
const RULES = [
  // A script is embedded into a source file, and runs in the simulation.
  {
    pattern: /^libs\/lock\/src\/.*\.lua$/,
    sources: ['libs/lock/src/backends/redis/scripts.generated.ts'],
    specs: ['test/embed-lua.spec.ts', 'test/simulation/', 'test/mutants/'],
  },
  {
    pattern: /\/migration\.sql$/,
    specs: [
      'test/mysql/',
      'test/postgres/',
      'test/contract/mysql.spec.ts',
      'test/contract/postgres.spec.ts',
      'test/sql/',
    ],
  },
  { pattern: /^apps\/shop\/src\/page\/static\//, specs: ['test/e2e/'] },
  { pattern: /\.(md|svg|png)$/, specs: ['test/docs.spec.ts', 'test/nest/docs.spec.ts'] },
  // Processes of these tests run the build, and not what the test imports.
  {
    pattern: /^(libs|apps)\/.*\.ts$/,
    isSource: true,
    specs: ['test/e2e/', 'test/packages/', 'test/memory/', 'test/faults/combination/'],
  },
  { pattern: /^test\/contract\/promises\//, specs: ['test/contract/promises.spec.ts'] },
  { pattern: /^test\/public-api\//, specs: ['test/public-api.spec.ts'] },
  { pattern: /^test\/mutants\//, specs: ['test/mutants/'] },
  { pattern: /^test\/interop\/redisson\/java\//, specs: ['test/interop/'] },
  { pattern: /^bench\//, specs: ['test/bench/'] },
  { pattern: /^(compat|\.ci)\/|^(LICENSE|\.gitignore|\.prettierignore|prettier\.config\.js)$/, specs: [] },
  { pattern: /^test\/.*\.m?[jt]s$/, isSource: true, specs: [] },
];

/**
 * Files that differ from the commit, those that git does not know yet included.
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
  const sources = rules.flatMap(({ file, rule }) => [
    ...(rule.sources ?? []),
    ...(rule.isSource ? [file] : []),
  ]);
  const related = new Set(relatedTo(sources));
  const entries = rules.flatMap(({ rule }) => rule.specs);
  return all.filter((file) => related.has(file) || entries.some((entry) => fits(entry, file)));
}

/** The spec files that import one of the sources, by however many steps. @param {readonly string[]} sources */
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
