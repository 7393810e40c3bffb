/** `node tools/test/summary.mjs REPORT`: the commands that a report of `npm run test:all` holds, and its failures. */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_FAILURES = 20;
const MOST_LINES = 30;

/**
 * A line for each command that has ended, then each failure with the beginning of its message.
 * @param {{ commands: readonly { command: string, seconds: number }[], testResults: readonly object[] }} report
 */
export function summaryOf({ commands, testResults }) {
  const rows = commands.map(
    ({ command, seconds }) => `${seconds.toFixed(0).padStart(6)} s  npm run ${command}`,
  );
  const failures = testResults.flatMap(failuresOf);
  const left = failures.length - MOST_FAILURES;
  return [...rows, ...failures.slice(0, MOST_FAILURES), ...(left > 0 ? [`${left} more failed`] : [])].join(
    '\n',
  );
}

/** @param {any} file what Jest reports about a spec file */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [textOf(file, message)] : [];
  return failed.map((test) => textOf(`${file} › ${test.fullName}`, test.failureMessages.join('\n')));
}

/** @param {string} title @param {string} message */
function textOf(title, message) {
  const lines = message.split('\n').slice(0, MOST_LINES);
  return [`FAIL ${title}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  console.log(summaryOf(JSON.parse(readFileSync(process.argv[2], 'utf8'))));
