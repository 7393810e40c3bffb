import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { NotHere } from './finding.js';

const run = promisify(execFile);
const LOCK = join(tmpdir(), 'bedrock-servers.apt.lock');
const OWNER = join(LOCK, 'pid');
const WAIT_MS = 300_000;

/**
 * Installs Debian packages, one process at a time, and says so on stderr. `isThere` is asked again under the
 * lock, because another process may have installed them while this one waited.
 * @throws NotHere when this is not Debian, not root, or the packages cannot be had
 */
export async function installDebianPackages(
  packages: readonly string[],
  isThere: () => boolean,
): Promise<void> {
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get'))
    throw new NotHere('this is not Debian');
  if (process.getuid?.() !== 0) throw new NotHere(`not root, so ${packages.join(' ')} cannot be installed`);
  await takeLock();
  try {
    if (isThere()) return;
    process.stderr.write(`bedrock-servers: apt-get install ${packages.join(' ')}\n`);
    await install(packages);
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

async function install(packages: readonly string[]): Promise<void> {
  const args = ['install', '-y', '--no-install-recommends', ...packages];
  try {
    if (!hasPackageLists()) await apt(['update']);
    await apt(args).catch(async () => {
      // The lists may be older than what the mirror has now.
      await apt(['update']);
      await apt(args);
    });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new NotHere(`apt-get ${args.join(' ')} failed: ${(stderr?.trim() || message).slice(-500)}`);
  }
}

function apt(args: readonly string[]): Promise<unknown> {
  return run('/usr/bin/apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

function hasPackageLists(): boolean {
  try {
    return readdirSync('/var/lib/apt/lists').some((name) => name.includes('Packages'));
  } catch {
    return false;
  }
}

async function takeLock(): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    try {
      mkdirSync(LOCK);
      writeFileSync(OWNER, String(process.pid));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (ownerIsDead()) rmSync(LOCK, { recursive: true, force: true });
    else await sleep(200);
  }
  throw new NotHere(`another process has held ${LOCK} for ${WAIT_MS / 1000} s`);
}

function ownerIsDead(): boolean {
  try {
    process.kill(Number(readFileSync(OWNER, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
