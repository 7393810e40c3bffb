/** Where a server is, and the account that enters it. */
export interface ServerPlace {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** An account without a password. @default none is named */
  readonly login?: string | undefined;
  /** The database that is there for tests. @default none is named */
  readonly database?: string | undefined;
}

export function serverUrl({ scheme, host, port, login, database }: ServerPlace): string {
  const account = login === undefined ? '' : `${login}@`;
  const path = database === undefined ? '' : `/${database}`;
  return `${scheme}://${account}${host}:${port}${path}`;
}
