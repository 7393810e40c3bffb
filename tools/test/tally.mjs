import { ALL_BOUND_S, COMMANDS } from '../../test/commands.mjs';

const COUNTS = [
  'numPassedTests',
  'numFailedTests',
  'numPendingTests',
  'numTodoTests',
  'numTotalTests',
  'numRuntimeErrorTestSuites',
];

/** The results of several Jest runs, as one report. */
export class Tally {
  #lines = [];
  #isGood = true;
  /** In the format of `jest --json`, with a row for each command. */
  report = {
    success: true,
    commands: [],
    testResults: [],
    ...Object.fromEntries(COUNTS.map((count) => [count, 0])),
  };

  get isEmpty() {
    return this.#lines.length === 0;
  }

  get isGood() {
    return this.#isGood;
  }

  /** A skipped test is a failure, unless the options select only some tests. */
  add(command, { code, report }, { seconds, isFiltered }) {
    const skipped = isFiltered || report === undefined ? 0 : report.numPendingTests + report.numTodoTests;
    const isGood = code === 0 && report !== undefined && skipped === 0;
    this.#isGood &&= isGood;
    this.report.success = this.#isGood;
    for (const count of COUNTS) this.report[count] += report?.[count] ?? 0;
    if (report === undefined) this.report.numRuntimeErrorTestSuites += 1;
    this.report.testResults.push(...(report?.testResults ?? []));
    const { boundS } = COMMANDS.find(({ name }) => name === command) ?? {};
    const facts = [
      `${isGood ? 'PASS' : 'FAIL'} npm run ${command}`.padEnd(28),
      `${report?.numPassedTests ?? 0} passed, ${failuresOf(report)} failed`.padEnd(24),
      ...(skipped > 0 ? [`${skipped} skipped, which is a failure;`] : []),
      `${seconds.toFixed(0)} s${boundS === undefined ? '' : ` of ${boundS} s`}`,
    ];
    this.#lines.push(facts.join(' '));
    this.report.commands.push({ command, seconds, boundS, isLate: seconds > boundS });
  }

  text() {
    const total = `${this.report.numPassedTests} passed, ${failuresOf(this.report)} failed, ${this.#seconds.toFixed(0)} s`;
    return ['', ...this.#lines, ...(this.#lines.length > 1 ? [total] : [])].join('\n');
  }

  /**
   * A line for each command that exceeded its time, and for all of them. A slow machine gets a warning, not a failure.
   */
  late() {
    const rows = [
      ...this.report.commands,
      {
        command: 'test:all',
        seconds: this.#seconds,
        boundS: ALL_BOUND_S,
        isLate: this.#seconds > ALL_BOUND_S,
      },
    ];
    return rows
      .filter(({ isLate }) => isLate)
      .map(
        ({ command, seconds, boundS }) =>
          `OVER ITS BOUND: npm run ${command} took ${seconds.toFixed(0)} s, bound ${boundS} s on two cores`,
      );
  }

  get #seconds() {
    return this.report.commands.reduce((sum, { seconds }) => sum + seconds, 0);
  }
}

/** Failed tests, and files that could not run. */
function failuresOf(report) {
  return (
    (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? (report === undefined ? 1 : 0))
  );
}
