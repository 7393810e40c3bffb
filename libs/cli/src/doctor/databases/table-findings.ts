import { note, ok, problem, type Finding } from '../findings/finding.js';
import type { NeededTable } from './table-names.js';

/** A table with the rights that this user lacks on it; undefined where there is no such table. */
export interface TableState extends NeededTable {
  readonly lacking: readonly string[] | undefined;
}

/** Which tables and rights are missing. Those of idempotency alone are a note. */
export function tableFindings(states: readonly TableState[]): readonly Finding[] {
  const missing = states.filter(({ lacking }) => lacking === undefined);
  const denied = states.filter(({ lacking }) => lacking !== undefined && lacking.length > 0);
  return [
    ...missing.map(({ name, isForLocks }) =>
      isForLocks
        ? problem('tables', `there is no table ${name}: run the SQL of the package, or give --create-tables`)
        : note('tables', `there is no table ${name}, which only idempotency needs`),
    ),
    ...denied.map(({ name, isForLocks, lacking }) => {
      const text = `missing on ${name}: ${lacking!.join(', ')}`;
      return isForLocks ? problem('rights', text) : note('rights', `${text}; only idempotency needs them`);
    }),
    ...(missing.length === 0 ? [ok('tables', 'all tables exist')] : []),
    ...(denied.length === 0 && missing.length < states.length
      ? [ok('rights', 'all needed rights are granted')]
      : []),
  ];
}
