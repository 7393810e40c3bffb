import { AssertionError } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHistory, type HistoryReport } from './check-history.js';
import { formatHistory, type History } from './history-event.js';
import type { HistoryLimits } from './violation.js';

/**
 * Checks a history: exclusion, token order, and the promptness of losses and calls. No other function asserts these.
 * @throws AssertionError with every violation. The message names a file with the history as JSON lines, in the folder
 * BEDROCK_HISTORIES or the temporary folder.
 * @param others violations that a history cannot show, in words
 */
export function assertHistory(
  history: History,
  limits: HistoryLimits = {},
  others: readonly string[] = [],
): HistoryReport {
  const report = checkHistory(history, limits);
  const lines = [...report.violations.map(({ invariant, text }) => `${invariant}: ${text}`), ...others];
  if (lines.length === 0) return report;
  throw new AssertionError({
    message: `${lines.length} violations; the history is kept in ${keep(history)}\n${lines.join('\n')}`,
    actual: lines,
    expected: [],
    operator: 'assertHistory',
  });
}

function keep(history: History): string {
  const folder = process.env['BEDROCK_HISTORIES'] ?? tmpdir();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `bedrock-history-${randomUUID()}.jsonl`);
  writeFileSync(file, formatHistory(history));
  return file;
}
