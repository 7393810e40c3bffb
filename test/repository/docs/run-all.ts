import { execFile, type ExecFileException } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Processes at a time. */
const LANES = 4;
/** Snippets about the same server use the same names there: these share one line. */
const SERVERS = [
  /\bREDIS_URL\b|\bPOSTGRES_URL\b/,
  /\bREDIS_URLS\b/,
  /\bMYSQL_URL\b/,
  /\bETCD_URL\b/,
  /\bZOOKEEPER_URL\b/,
];
/** For a program that waits for its turn on the processor. */
const ENDS_WITHIN_MS = 30_000;

export interface Program {
  readonly code: string;
  /** The file to run. */
  readonly output: string;
}

/**
 * Runs each program as a process of its own, several at a time. Those that share a server run one after the other, in
 * their order.
 * @returns what went wrong with each, by its file; undefined when it ended well
 */
export async function runAll(
  programs: readonly Program[],
  environment: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string | undefined>> {
  const env = { ...process.env, ...environment };
  const outcomes = new Map<string, string | undefined>();
  const waiting = inGroups(programs);
  const lane = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      for (const { output } of group) {
        const failure = await run(process.execPath, [output], { env, timeout: ENDS_WITHIN_MS }).then(
          () => undefined,
          tell,
        );
        outcomes.set(output, failure);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return outcomes;
}

function tell(error: ExecFileException): string {
  const end = error.killed ? `still running after ${ENDS_WITHIN_MS} ms` : `exit code ${error.code}`;
  return `${end}: ${error.message}`;
}

/** The longest first, so that no lane is left with it at the end. */
function inGroups(programs: readonly Program[]): (readonly Program[])[] {
  const groups = new Map<RegExp | Program, Program[]>();
  for (const program of programs) {
    const key = SERVERS.find((server) => server.test(program.code)) ?? program;
    groups.set(key, [...(groups.get(key) ?? []), program]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}
