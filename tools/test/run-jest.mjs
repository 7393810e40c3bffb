/** Runs Jest on spec files, with the servers that they need. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { rowOf } from '../../test/commands.mjs';

const ROOT = join(import.meta.dirname, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const NODE_FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/**
 * @param {{ files: readonly string[], workers: number, jest?: readonly string[] }} run
 * @returns {Promise<{ code: number, report: object | undefined }>} the exit code and what `jest --json` reports
 */
export async function runJest({ files, workers, jest = [] }) {
  const outputFile = join(tmpdir(), `bedrock-jest-${randomUUID()}.json`);
  const own = jest.some((flag) => /^(-w|--maxWorkers|--runInBand|-i)\b/.test(flag))
    ? []
    : [`--maxWorkers=${workers}`];
  const args = [...own, ...jest, '--json', `--outputFile=${outputFile}`];
  const code = await exitOf(args, { files, needs: needsOf(files) });
  const report = readReport(outputFile);
  return { code, report };
}

/** The servers that the files need, each once. @param {readonly string[]} files */
export function needsOf(files) {
  return [...new Set(files.flatMap((file) => rowOf(file)?.needs ?? []))].sort();
}

/**
 * Jest's exit code. The environment passes the selected files and servers: see `test/support`.
 * @param {readonly string[]} args
 * @param {{ files?: readonly string[], needs?: readonly string[] }} chosen
 * @returns {Promise<number>}
 */
export function exitOf(args, { files, needs = [] } = {}) {
  const child = spawn(process.execPath, [...NODE_FLAGS, JEST, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      BEDROCK_TEST_NEEDS: needs.join(','),
      ...(files !== undefined && { BEDROCK_TEST_FILES: files.join(',') }),
    },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}
