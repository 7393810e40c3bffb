import type { Report, Section } from '../report/report.js';
import type { Row } from '../report/table.js';
import type { Style } from '../report/terminal.js';
import { FAULT_NAMES, SHOULD_BREAK, type FaultName } from './faults.js';
import { IMPLEMENTATION_NAMES, IMPLEMENTATIONS, type ImplementationName } from './implementations.js';
import type { TrialResult } from './run-trial.js';

export type Paint = (style: Style, text: string) => string;

/** The implementations that broke under each fault, compared with expectations. */
export function stagesReport(results: readonly TrialResult[], paint: Paint = (_, text) => text): Report {
  const resultOf = (implementation: ImplementationName, fault: FaultName): TrialResult =>
    results.find((one) => one.implementation === implementation && one.fault === fault)!;
  const surprises = results.filter(
    ({ implementation, fault, isBroken }) => SHOULD_BREAK[implementation].includes(fault) !== isBroken,
  );
  const broken = results.filter(({ implementation, isBroken }) => implementation === 'Bedrock' && isBroken);
  return {
    sections: [matrix(resultOf, paint), observations(resultOf)],
    checks: [
      {
        isMet: surprises.length === 0,
        text: `${results.length - surprises.length} of ${results.length} trials ended as expected: each stage fixes one fault and fails under the next`,
      },
      {
        isMet: broken.length === 0,
        text: `Bedrock broke under ${broken.length} of ${FAULT_NAMES.length} faults`,
      },
    ],
    notes: surprises.map(
      ({ implementation, fault, isBroken }) =>
        `${implementation} should ${isBroken ? 'not ' : ''}have been broken by ${fault}`,
    ),
    verdict: `stages: trials ${results.length}, unexpected ${surprises.length}, Bedrock broken ${broken.length}`,
  };
}

type ResultOf = (implementation: ImplementationName, fault: FaultName) => TrialResult;

function matrix(resultOf: ResultOf, paint: Paint): Section {
  const row = (implementation: ImplementationName): Row => [
    implementation,
    IMPLEMENTATIONS[implementation].recipe,
    ...FAULT_NAMES.map((fault) =>
      resultOf(implementation, fault).isBroken
        ? { text: 'BROKEN', paint: (text: string) => paint('red', text) }
        : { text: 'ok', paint: (text: string) => paint('green', text) },
    ),
  ];
  return { head: ['', '', ...FAULT_NAMES], rows: IMPLEMENTATION_NAMES.map(row) };
}

/** What was observed where a stage first fails, and where Bedrock stands. */
function observations(resultOf: ResultOf): Section {
  const falls: [ImplementationName, FaultName][] = [
    ['stage 1', 'crash'],
    ['stage 2', 'foreign delete'],
    ['stage 3', 'late delete'],
    ['stage 4', 'long body'],
    ['stage 5', 'late write'],
    ['stage 5', 're-entry'],
  ];
  const stands = FAULT_NAMES.map((fault): [ImplementationName, FaultName] => ['Bedrock', fault]);
  return {
    head: ['', 'under', 'seen'],
    rows: [...falls, ...stands].map(([implementation, fault]) => [
      implementation,
      fault,
      resultOf(implementation, fault).seen,
    ]),
  };
}
