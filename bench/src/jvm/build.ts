import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JAVA_SIDE, javaProgram } from './program.js';

const TARGET = join(JAVA_SIDE, 'target');
/** Records the sources that the target was built from. */
const BUILT = join(TARGET, '.built');
const BUILD_WITHIN_MS = 240_000;

const run = promisify(execFile);

/** The failure of a child process. */
interface Failure extends Error {
  readonly code?: unknown;
  readonly stdout?: string;
}

/** Compiles the Java side on first use and after a change. @returns the reason in one line if it is unavailable */
export async function buildJava(): Promise<string | undefined> {
  try {
    await run(javaProgram(), ['-version']);
  } catch (error) {
    return missing('Java', 'a JDK of 17 or newer', 'JAVA_BIN', error as Failure);
  }
  const fingerprint = fingerprintOfSources();
  if (existsSync(BUILT) && readFileSync(BUILT, 'utf8') === fingerprint) return undefined;
  try {
    await compile();
  } catch (error) {
    return missing('Maven', 'Maven', 'MVN_BIN', error as Failure);
  }
  writeFileSync(BUILT, fingerprint);
  return undefined;
}

async function compile(): Promise<void> {
  process.stderr.write('bench: building the Java program with Maven\n');
  rmSync(TARGET, { recursive: true, force: true });
  const goals = ['compiler:compile', 'dependency:copy-dependencies'];
  await run(process.env['MVN_BIN'] || 'mvn', ['--batch-mode', '--quiet', ...goals], {
    cwd: JAVA_SIDE,
    timeout: BUILD_WITHIN_MS,
    maxBuffer: 16 << 20,
  });
}

function missing(name: string, program: string, variable: string, failure: Failure): string {
  if (failure.code === 'ENOENT') return `${name} not found; install ${program}, or name it in ${variable}`;
  const [told] = (failure.stdout || failure.message).trim().split('\n');
  return `${name} failed: ${told}`;
}

function fingerprintOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(JAVA_SIDE, 'pom.xml')));
  const sources = join(JAVA_SIDE, 'src');
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }).sort()) {
    if (file.endsWith('.java')) hash.update(file).update(readFileSync(join(sources, file)));
  }
  return hash.digest('hex');
}
