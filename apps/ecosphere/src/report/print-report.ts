import type { Report } from './report.js';
import { tableLines } from './table.js';
import type { Terminal } from './terminal.js';

/** Prints the title of a run, and a description below it. */
export function printTitle(terminal: Terminal, title: string, lines: readonly string[]): void {
  terminal.line();
  terminal.line(terminal.paint('bold', title));
  for (const line of lines) terminal.line(`  ${terminal.paint('dim', line)}`);
}

/** Prints the figures, then the proven promises, then the verdict. */
export function printReport(terminal: Terminal, report: Report): void {
  for (const section of report.sections) {
    terminal.line();
    for (const line of tableLines(section.rows, section)) terminal.line(line);
  }
  terminal.line();
  for (const { isMet, text } of report.checks) {
    terminal.line(`  ${isMet ? terminal.paint('green', '✔') : terminal.paint('red', '✘')} ${text}`);
  }
  for (const note of report.notes ?? []) terminal.line(`  ${terminal.paint('yellow', note)}`);
  terminal.line();
  // Never coloured: scripts compare it.
  terminal.line(report.verdict);
}
