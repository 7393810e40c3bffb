/** Entry of `npm run test:repeat`. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { REAL_TIME, specFiles } from '../test/commands.mjs';
import { answerUsage } from './answer-usage.mjs';
import { runJest } from './test/run-jest.mjs';

const WORKERS = 4;
/** A busy loop that ends when its parent does. */
const BUSY_LOOP = `
  process.once('disconnect', () => process.exit());
  setInterval(() => { for (const end = Date.now() + 50; Date.now() < end; ); }, 0);`;

answerUsage(`npm run test:repeat -- [options]

Runs the timing-sensitive suites repeatedly, with one busy loop per core, and counts the failures of each test. Exits with 1
if a test failed, with 2 for an invalid option.

  --times N      number of runs (20)
  --only PATHS   other spec files, comma-separated
  --idle         run no busy loops
  --help
`);

const { values } = parseArgs({
  options: { times: { type: 'string', default: '20' }, only: { type: 'string' }, idle: { type: 'boolean' } },
});
const names = values.only?.split(',');
const files =
  names === undefined ? REAL_TIME : specFiles().filter((file) => names.some((name) => file.includes(name)));
const times = Number(values.times);
if (files.length === 0 || !(times >= 1)) {
  console.error(
    files.length === 0 ? `no spec file matches ${values.only}` : '--times must be a number from 1',
  );
  process.exit(2);
}

const loops = values.idle ? [] : Array.from({ length: availableParallelism() }, busyLoop);
try {
  process.exitCode = (await repeat()) ? 0 : 1;
} finally {
  for (const loop of loops) loop.kill('SIGKILL');
}

function busyLoop() {
  return spawn(process.execPath, ['-e', BUSY_LOOP], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

/** True if no test failed. */
async function repeat() {
  const failures = new Map();
  const lines = [];
  let passed = 0;
  for (let run = 1; run <= times; run += 1) {
    const startedAt = Date.now();
    const { report, code } = await runJest({ files, workers: WORKERS, jest: ['--silent'] });
    const failed = failuresOf(report);
    for (const name of failed) failures.set(name, (failures.get(name) ?? 0) + 1);
    passed += report?.numPassedTests ?? 0;
    if (code !== 0 && failed.length === 0) failures.set('a run without a report', 1);
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
    lines.push(`run ${run}: ${report?.numPassedTests ?? 0} passed, ${failed.length} failed, ${seconds} s`);
    console.log(lines.at(-1));
  }
  const sum = [...failures.values()].reduce((all, one) => all + one, 0);
  console.log(`\n${files.length} suites, ${times} times, with ${loops.length} busy loops`);
  console.log(lines.join('\n'));
  for (const [name, count] of failures) console.log(`failed ${count} times: ${name}`);
  console.log(`${passed} passed, ${sum} failed`);
  return sum === 0;
}

function failuresOf(report) {
  return (report?.testResults ?? []).flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (assertionResults.length === 0) return [`${name}: ${message.slice(0, 200)}`];
    return failed.map(({ fullName }) => fullName);
  });
}
