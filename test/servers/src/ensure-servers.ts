import { containerEngineAnswers } from './container.js';
import { installDebianPackages } from './debian.js';
import { NotHere } from './finding.js';
import type { ServerSource } from './running-server.js';
import { NEEDS, type Need, type ServerName } from './server-needs.js';

/** Where something that tests need is. */
export interface Found {
  readonly name: ServerName;
  /** Undefined where a container will stand in. */
  readonly path: string | undefined;
  readonly source: Exclude<ServerSource, 'environment'>;
}

/** Remedies for missing programs. */
export interface Remedies {
  /** Whether a server can run in a container. */
  hasEngine(): Promise<boolean>;
  /** Installs them all at once. @throws NotHere */
  install(packages: readonly string[], isThere: () => boolean): Promise<void>;
}

const REMEDIES: Remedies = { hasEngine: containerEngineAnswers, install: installDebianPackages };

/**
 * Makes sure that everything is here before the first test runs: found, for a server available in a container, or else
 * installed in one go, as root on Debian. A variable such as REDIS_URL does not replace a server, since most tests break
 * theirs; but it has to name one that answers.
 * @throws one Error that lists all that is missing, each with how to get it
 */
export async function ensureServers(
  names: readonly ServerName[],
  { hasEngine, install }: Remedies = REMEDIES,
): Promise<Found[]> {
  const problems: string[] = [];
  const found = new Map<ServerName, Found>();
  const missing = new Set<ServerName>();
  for (const name of new Set(names)) {
    const look = lookFor(name);
    if ('path' in look) found.set(name, { name, path: look.path, source: 'local' });
    else if (look.error instanceof NotHere) missing.add(name);
    else problems.push(`${name}: ${look.error.message}`);
    problems.push(...(await problemsOfUrl(name)));
  }
  if ([...missing].some((name) => isServer(name)) && (await hasEngine())) {
    for (const name of [...missing].filter(isServer)) {
      found.set(name, { name, path: undefined, source: 'testcontainers' });
      missing.delete(name);
    }
  }
  let whyNot = '';
  if (missing.size > 0) {
    const packages = [...new Set([...missing].flatMap((name) => needOf(name).packages))];
    const isThere = (): boolean => [...missing].every((name) => 'path' in lookFor(name));
    whyNot = await install(packages, isThere).then(() => '', reasonOf);
  }
  for (const name of missing) {
    const look = lookFor(name);
    if ('path' in look) found.set(name, { name, path: look.path, source: 'debian' });
    else problems.push(`${name}: ${look.error.message}\n    ${adviceFor(needOf(name))}`);
  }
  if (problems.length > 0) {
    const reason = whyNot === '' ? '' : `\nNothing was installed: ${whyNot}`;
    throw new Error(
      `The tests need what is not here:\n${problems.map((one) => `  - ${one}`).join('\n')}${reason}`,
    );
  }
  return [...found.values()];
}

function needOf(name: ServerName): Need {
  return NEEDS[name];
}

function isServer(name: ServerName): boolean {
  return needOf(name).shared !== undefined;
}

function lookFor(name: ServerName): { readonly path: string } | { readonly error: Error } {
  try {
    return { path: needOf(name).find() };
  } catch (error) {
    return { error: error as Error };
  }
}

async function problemsOfUrl(name: ServerName): Promise<string[]> {
  const { shared } = needOf(name);
  if (shared === undefined || (process.env[shared.variable] ?? '') === '') return [];
  return shared.check().then(
    () => [],
    (error: Error) => [`${name}: ${error.message}`],
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof NotHere) return error.message;
  throw error;
}

function adviceFor({ packages, homebrew, variables, shared }: Need): string {
  const ways = [
    `Debian: apt-get install ${packages.join(' ')}`,
    `Homebrew: brew install ${homebrew}`,
    `or set ${variables.join(' and ')}`,
    ...(shared === undefined ? [] : ['or start a container engine']),
  ];
  const url = shared !== undefined && (process.env[shared.variable] ?? '') !== '';
  return `${ways.join('; ')}${url ? `. ${shared.variable} serves only tests that may share a server` : ''}`;
}
