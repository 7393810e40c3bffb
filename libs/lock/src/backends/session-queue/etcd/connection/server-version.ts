/** The first patch of each minor version in which a leader that was deposed does not end leases any more. */
const SAFE_PATCHES: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

const warned = new Set<string>();

/**
 * Warns once per process about a faulty version (etcd issue 15247). There, a paused leader that
 * does not know of its successor may end leases that were kept alive. The next waiter then gets the
 * lock before the holder knows of it.
 */
export function checkVersion(version: string): void {
  const [, minor, patch] = /^(3\.\d+)\.(\d+)/.exec(version) ?? [];
  const isUnsafe = minor === undefined || Number(patch) < (SAFE_PATCHES[minor] ?? oldOrNew(minor));
  if (!isUnsafe || warned.has(version)) return;
  warned.add(version);
  process.emitWarning(
    `etcd ${version} may end leases that are in use when its leader changes: take 3.4.31, 3.5.13 or newer`,
    { type: 'BedrockWarning', code: 'BEDROCK_ETCD_VERSION' },
  );
}

/** Older than the versions that were mended is never safe, newer always. */
function oldOrNew(minor: string): number {
  return Number(minor.slice(2)) < 4 ? Infinity : 0;
}
