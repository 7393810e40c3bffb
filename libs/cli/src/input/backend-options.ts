import { Option, type Command } from 'commander';
import { openBackend, type BackendSettings } from './open-backend.js';
import { parseBackendAddress, type BackendAddress } from './backend-address.js';
import { readCombinationFile } from './combination-file.js';
import { parseDuration } from './parse-duration.js';
import { UsageError } from './usage-error.js';
import type { Backend } from 'bedrock-lock';

/** What every command that talks to a backend accepts, as commander gives it. */
export interface BackendOptions {
  readonly url?: string;
  readonly urlEnv?: string;
  readonly combination?: string;
  readonly maxLease?: number;
  readonly operationTimeout?: number;
  readonly restartGuard?: true;
  readonly root?: string;
  readonly tablePrefix?: string;
  readonly schema?: string;
  readonly throughPooler?: true;
  readonly sessions?: true;
  readonly createTables?: true;
  readonly label: string;
  readonly json?: true;
}

/** The variable that has the URL where neither `--url` nor `--url-env` is given. */
const DEFAULT_URL_VARIABLE = 'BEDROCK_URL';
const URL_HELP =
  'redis://, rediss://, valkey://, etcd://, zookeeper://, postgres:// or mysql://; several hosts, separated by commas, are one cluster';

/** An option whose argument is a time. */
export function durationOption(flags: string, description: string): Option {
  const name = /--[\w-]+/.exec(flags)![0];
  return new Option(flags, description).argParser((text: string) => parseDuration(name, text));
}

/** Adds the options that say where the locks are and how they are kept. */
export function addBackendOptions(command: Command, label: string): Command {
  return command
    .option('--url <url>', URL_HELP)
    .option(
      '--url-env <name>',
      `environment variable with the URL; better than --url for a URL with a password`,
    )
    .option('--combination <file>', 'instead of a URL: JSON with nodes (id, url), minNodes and maxLeaseMs')
    .option('--label <text>', 'name of this process in `bedrock show` and in errors', label)
    .addOption(durationOption('--operation-timeout <time>', 'longest request to the backend (default: 1s)'))
    .addOption(durationOption('--max-lease <time>', 'longest lease of the backend; as in your applications'))
    .option(
      '--restart-guard',
      'Redis: wait after a restart of the server; needed where your applications set it',
    )
    .option('--root <path>', 'ZooKeeper: the node that locks are below (default: /bedrock)')
    .option(
      '--table-prefix <text>',
      'PostgreSQL and MySQL: what names of tables begin with (default: bedrock_)',
    )
    .option('--schema <name>', 'PostgreSQL: schema of the tables')
    .option('--through-pooler', 'PostgreSQL: the URL leads to a pooler in transaction mode')
    .option('--sessions', 'PostgreSQL and MySQL: advisory locks and GET_LOCK of sessions, not rows')
    .option('--create-tables', 'PostgreSQL and MySQL: make the tables where they are missing')
    .option('--json', 'one JSON object for each message');
}

/** @throws UsageError, InvalidOptionError, BackendUnavailableError */
export function backendOf(options: BackendOptions, environment: NodeJS.ProcessEnv): Promise<Backend> {
  return openBackend(addressOf(options, environment), settingsOf(options));
}

export function settingsOf(options: BackendOptions): BackendSettings {
  return {
    label: options.label,
    maxLeaseMs: options.maxLease,
    operationTimeoutMs: options.operationTimeout,
    restartGuard: options.restartGuard,
    root: options.root,
    tablePrefix: options.tablePrefix,
    schema: options.schema,
    throughPooler: options.throughPooler,
    sessions: options.sessions,
    createTables: options.createTables,
  };
}

/**
 * What `act` gives back about the backend of the options, which is closed afterwards.
 * @throws UsageError, InvalidOptionError, BackendUnavailableError
 */
export async function withBackend<T>(
  options: BackendOptions,
  act: (backend: Backend) => Promise<T>,
): Promise<T> {
  const backend = await backendOf(options, process.env);
  try {
    await backend.ready();
    return await act(backend);
  } finally {
    await backend.close();
  }
}

/** @throws UsageError */
export function addressOf(options: BackendOptions, environment: NodeJS.ProcessEnv): BackendAddress {
  const { combination, url, urlEnv, maxLease } = options;
  if (combination === undefined) return parseBackendAddress(urlOf(options, environment));
  if (url !== undefined || urlEnv !== undefined)
    throw new UsageError('give either --combination or a URL, not both');
  if (maxLease !== undefined) throw new UsageError('--max-lease of a combination stands in its file');
  return readCombinationFile(combination);
}

function urlOf({ url, urlEnv }: BackendOptions, environment: NodeJS.ProcessEnv): string {
  if (url !== undefined && urlEnv !== undefined)
    throw new UsageError('give either --url or --url-env, not both');
  if (url !== undefined) return url;
  const variable = urlEnv ?? DEFAULT_URL_VARIABLE;
  const text = environment[variable];
  if (text === undefined || text === '')
    throw new UsageError(
      urlEnv === undefined
        ? `give the URL of the backend by --url, or in ${DEFAULT_URL_VARIABLE}`
        : `--url-env names ${JSON.stringify(variable)}, which is not set`,
    );
  return text;
}
