import { findPrograms, oneAtATime } from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const SOURCES = join(import.meta.dirname, 'java');
// Outside of what git sees. The jars themselves stay in Maven's own repository, so a rebuild takes seconds.
const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/bedrock-redisson');
const PACKAGES = ['maven', 'default-jdk-headless'];
const BUILD_WITHIN_MS = 240_000;

/** What starts the Java side. */
export interface JavaSide {
  readonly java: string;
  readonly classpath: string;
}

/**
 * The Java side with one version of Redisson, compiled when its sources have changed.
 * @throws Error naming the missing program, or with Maven's output
 */
export async function javaSide(version: string): Promise<JavaSide> {
  const { java } = await findPrograms({ overrides: { java: 'JAVA_BIN' }, packages: PACKAGES });
  const folder = join(CACHE, `${version}-${fingerprint()}`);
  await oneAtATime('redisson', async () => {
    if (!existsSync(folder)) await build(version, folder);
  });
  return { java, classpath: [join(folder, 'classes'), join(folder, 'lib', '*')].join(delimiter) };
}

async function build(version: string, folder: string): Promise<void> {
  // Maven compiles within its own process, and needs a JDK for that: javac is the sign of one.
  const { mvn } = await findPrograms({
    overrides: { mvn: 'MVN_BIN', javac: 'JAVAC_BIN' },
    packages: PACKAGES,
  });
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE)) {
    if (name.startsWith(`${version}-`)) rmSync(join(CACHE, name), { recursive: true });
  }
  process.stderr.write(`building the Java side with Redisson ${version}\n`);
  const unfinished = `${folder}.unfinished`;
  await promisify(execFile)(
    mvn,
    [
      ...['--batch-mode', '--quiet', `-Dredisson.version=${version}`, `-Dbuild.folder=${unfinished}`],
      ...['compiler:compile', 'dependency:copy-dependencies'],
    ],
    { cwd: SOURCES, timeout: BUILD_WITHIN_MS, maxBuffer: 16 << 20 },
  ).catch((error: Error & { stdout?: string }) => {
    throw new Error(`Maven failed: ${(error.stdout || error.message).slice(0, 2_000)}`, { cause: error });
  });
  renameSync(unfinished, folder);
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.(java|xml)$/.test(name)).sort()) {
    hash.update(file).update(readFileSync(join(SOURCES, file)));
  }
  return hash.digest('hex').slice(0, 12);
}
