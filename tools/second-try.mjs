// Runs the suites of a test report that failed once more, alone, and puts what they say then into the report.
// Hundreds of tests here tell real processes by real time, and a machine that stands still for a second fails one of
// them now and then. A second failure counts, a breach of safety counts at once, and so does more than a few suites.
//
// Usage: node tools/second-try.mjs REPORT    the JSON of `jest --json`, which is rewritten
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST_SUITES = 4;
/** What the judges of safety say: holders side by side, tokens that fall, stock that is wrong. Being late is no breach. */
const BREACH = new RegExp(
  [
    'held ".*" together with',
    'brought the permits of',
    'got token \\d+ after',
    'looked held',
    'was answered "',
    'its release said',
    '"rule": "I[1237]"',
    '\\bI[1237]: ',
    '\\b(?:overlaps|oversold|lost updates)"?:? -?[1-9]',
  ].join('|'),
);

const [file] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const failed = report.testResults.filter(({ status }) => status === 'failed');
if (failed.length === 0) process.exit(report.success ? 0 : 1);

const breach = failed.find(({ message }) => BREACH.test(withoutCode(message)));
if (breach !== undefined) refuse(`${nameOf(breach)} speaks of safety`);
if (failed.length > MOST_SUITES) refuse(`${failed.length} suites are more than chance`);

console.log(`\nsecond try, alone: ${failed.map(nameOf).join(', ')}`);
const again = runAlone(failed.map(({ name }) => name));
const counts = ['numPassedTests', 'numFailedTests', 'numPendingTests', 'numRuntimeErrorTestSuites'];
for (const count of counts) report[count] += again[count] - countOf(failed, count);
writeFileSync(file, JSON.stringify(report));
for (const suite of failed) {
  for (const test of suite.assertionResults.filter(({ status }) => status === 'failed'))
    console.log(`failed at first: ${nameOf(suite)}: ${test.fullName}`);
}
console.log(again.success ? 'all of them passed at the second try' : 'failed again');
process.exit(again.success ? 0 : 1);

function runAlone(paths) {
  const answer = `${file}.again`;
  const jest = ['run', '--silent', 'jest', '--', '--ci', '--runInBand', '--json', `--outputFile=${answer}`];
  spawnSync('npm', [...jest, '--runTestsByPath', ...paths], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    return JSON.parse(readFileSync(answer, 'utf8'));
  } finally {
    rmSync(answer, { force: true });
  }
}

function countOf(suites, count) {
  const tests = suites.flatMap(({ assertionResults }) => assertionResults);
  if (count === 'numRuntimeErrorTestSuites')
    return suites.filter(({ assertionResults }) => assertionResults.length === 0).length;
  const status = { numPassedTests: 'passed', numFailedTests: 'failed', numPendingTests: 'pending' }[count];
  return tests.filter((test) => test.status === status).length;
}

/** What a test said, without the lines of its source around the place. */
function withoutCode(message) {
  return message
    .split('\n')
    .filter((line) => !/^\s*>?\s*\d+ \|/.test(line))
    .join('\n');
}

function nameOf({ name }) {
  return relative(process.cwd(), name);
}

function refuse(why) {
  console.log(`no second try: ${why}`);
  process.exit(1);
}
