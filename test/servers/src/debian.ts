import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { NotHere } from './finding.js';
import { oneAtATime } from './one-at-a-time.js';

const run = promisify(execFile);

/**
 * Installs Debian packages, one process at a time, and says on stderr what and how long it took. `isThere` is asked again under the
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
  await oneAtATime('apt', async () => {
    if (isThere()) return;
    process.stderr.write(`bedrock-servers: apt-get install ${packages.join(' ')}\n`);
    const beganAt = performance.now();
    await install(packages);
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
    process.stderr.write(`bedrock-servers: installed ${packages.join(' ')} in ${seconds} s\n`);
  });
}

async function install(packages: readonly string[]): Promise<void> {
  const args = ['install', '-y', '--no-install-recommends', ...packages];
  try {
    const isFresh = !hasPackageLists();
    if (isFresh) await apt(['update']);
    await apt(args).catch(async (error: unknown) => {
      if (isFresh) throw error;
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
