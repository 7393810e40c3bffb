import type { BackendSettings } from '../../input/open-backend.js';

const DEFAULT_PREFIX = 'bedrock_';
/** What a user of locks does with rows. */
export const ROW_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/** A table, and who needs it. */
export interface NeededTable {
  /** As it is written in SQL. */
  readonly name: string;
  /** No lock can be taken without it. */
  readonly isForLocks: boolean;
  readonly keyColumn: 'resource' | 'id';
}

/** @param quote makes a name of a text */
export function neededTables(
  { tablePrefix = DEFAULT_PREFIX, schema }: Pick<BackendSettings, 'tablePrefix' | 'schema'>,
  quote: (name: string) => string,
): readonly NeededTable[] {
  const place = schema === undefined ? '' : `${quote(schema)}.`;
  return [
    { name: `${place}${quote(`${tablePrefix}locks`)}`, isForLocks: true, keyColumn: 'resource' },
    { name: `${place}${quote(`${tablePrefix}processes`)}`, isForLocks: true, keyColumn: 'id' },
    { name: `${place}${quote(`${tablePrefix}records`)}`, isForLocks: false, keyColumn: 'resource' },
  ];
}
