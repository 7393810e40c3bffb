import type { BackendSettings } from '../../input/open-backend.js';

const DEFAULT_PREFIX = 'bedrock_';
/** What a user of locks does with rows. */
export const ROW_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/** A table, and who needs it. */
export interface NeededTable {
  /** As it is written in SQL. */
  readonly name: string;
  /** Locks cannot do without it. */
  readonly isForLocks: boolean;
}

/** @param quote makes a name of a text */
export function neededTables(
  { tablePrefix = DEFAULT_PREFIX, schema }: Pick<BackendSettings, 'tablePrefix' | 'schema'>,
  quote: (name: string) => string,
): readonly NeededTable[] {
  const place = schema === undefined ? '' : `${quote(schema)}.`;
  return [
    { name: `${place}${quote(`${tablePrefix}locks`)}`, isForLocks: true },
    { name: `${place}${quote(`${tablePrefix}processes`)}`, isForLocks: true },
    { name: `${place}${quote(`${tablePrefix}records`)}`, isForLocks: false },
  ];
}
