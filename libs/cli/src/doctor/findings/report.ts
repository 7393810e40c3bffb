import { visible } from '../../output/visible.js';
import type { Examination, Finding, FindingState } from './finding.js';

/** Where each check has a section. */
const PAGE = 'docs/operations/doctor.md';
const STATES: readonly FindingState[] = ['problem', 'note', 'ok'];
const MAX_TEXT_LENGTH = 2_000;
const STATE_WIDTH = 7;
const CHECK_WIDTH = 11;

/** The section of the page that explains the finding; undefined for ok. */
export function sectionOf({ check, state }: Finding): string | undefined {
  return state === 'ok' ? undefined : `${PAGE}#${check}`;
}

/** The findings of each server, the worst first. */
export function reportText(examinations: readonly Examination[]): string {
  return examinations
    .map(({ subject, findings }) => {
      const sorted = STATES.flatMap((state) => findings.filter((finding) => finding.state === state));
      return [visible(subject), ...sorted.flatMap(linesOf)].join('\n');
    })
    .join('\n\n');
}

function linesOf(finding: Finding): readonly string[] {
  const { check, state, text } = finding;
  const head = `  ${state.padEnd(STATE_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  `;
  const section = sectionOf(finding);
  const line = `${head}${visible(text, MAX_TEXT_LENGTH)}`;
  return section === undefined ? [line] : [line, `${' '.repeat(head.length)}${section}`];
}

/** One object for each finding. */
export function reportLines(examinations: readonly Examination[]): readonly string[] {
  return examinations.flatMap(({ subject, findings }) =>
    findings.map((finding) => JSON.stringify({ subject, ...finding, see: sectionOf(finding) })),
  );
}

/** How many there are of a state. */
export function countOf(examinations: readonly Examination[], state: FindingState): number {
  return examinations.flatMap(({ findings }) => findings).filter((finding) => finding.state === state).length;
}

export function summaryText(examinations: readonly Examination[]): string {
  const [problems, notes] = [countOf(examinations, 'problem'), countOf(examinations, 'note')];
  const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `${count(problems, 'problem')}, ${count(notes, 'note')}`;
}
