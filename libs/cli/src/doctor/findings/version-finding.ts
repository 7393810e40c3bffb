import { ok, problem, type Finding } from './finding.js';

/**
 * Whether a server is new enough.
 * @param name with the version, as it is shown
 * @param version numbers with dots; what follows them counts for nothing
 * @param oldest the numbers of the oldest version that is supported
 * @param where added to the text, such as ` on a cluster`
 */
export function versionFinding(
  name: string,
  version: string,
  oldest: readonly number[],
  where = '',
): Finding {
  const numbers = version.split(/[.-]/).map((part) => Number.parseInt(part, 10));
  return isAtLeast(numbers, oldest)
    ? ok('version', name)
    : problem('version', `${name}: ${oldest.join('.')} or newer is needed${where}`);
}

function isAtLeast([first = 0, ...rest]: readonly number[], [oldest, ...others]: readonly number[]): boolean {
  if (oldest === undefined || first > oldest) return true;
  return first === oldest && isAtLeast(rest, others);
}
