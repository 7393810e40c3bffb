import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packs a workspace folder as `npm publish` would, from the output of the build.
 * @param {string} folder
 * @param {string} destination
 * @returns {{ archive: string, files: string[], packed: number, unpacked: number }} the archive, its files, and its bytes
 */
export function packLibrary(folder, destination) {
  const args = ['pack', '--json', '--pack-destination', destination, '--workspace', folder];
  const [packed] = Object.values(
    JSON.parse(
      execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ),
  );
  const { filename, files, size, unpackedSize } = packed;
  return {
    archive: join(destination, filename),
    files: files.map(({ path }) => path),
    packed: size,
    unpacked: unpackedSize,
  };
}
