/** The tables, quoted, with their schema where one was given. */
export interface PostgresTableNames {
  readonly locks: string;
  readonly processes: string;
  readonly records: string;
  /** An index, which is where its table is; without quotes. */
  readonly recordsUntil: string;
  /** A sequence. */
  readonly tokens: string;
}

export function tableNames(schema: string | undefined, prefix: string): PostgresTableNames {
  const at = schema === undefined ? '' : `"${schema}".`;
  return {
    locks: `${at}"${prefix}locks"`,
    processes: `${at}"${prefix}processes"`,
    records: `${at}"${prefix}records"`,
    recordsUntil: `${prefix}records_until`,
    tokens: `${at}"${prefix}tokens"`,
  };
}

const CHANNEL = 'bedrock:';
/** Announces to all processes that grants may have been taken away. */
export const SUSPECTS_CHANNEL = `${CHANNEL}doubts`;

/** Where one process is woken. */
export function processChannel(processId: string): string {
  return CHANNEL + processId;
}

/** In SQL: the channel of the process that `expression` gives. */
export function channelOf(expression: string): string {
  return `'${CHANNEL}' || ${expression}`;
}
