import { readdirSync, readFileSync } from 'node:fs';

/**
 * The process groups in the session of a command that have a living process. A command may start groups of its own, as
 * timeout(1) does; elsewhere than on Linux only the first group is known. A process that has ended counts no more, even if no
 * parent has asked for its exit code: in a container without an init process that never happens.
 */
export function livingGroups(session: number): readonly number[] {
  try {
    if (process.platform === 'linux')
      return [...new Set(readdirSync('/proc').flatMap((entry) => groupIn(entry, session)))];
  } catch {
    // Without /proc, as elsewhere.
  }
  return isGroupThere(session) ? [session] : [];
}

/** The group of a living process of the session. @param entry the name of a folder of /proc */
function groupIn(entry: string, session: number): number[] {
  if (!/^\d+$/.test(entry)) return [];
  let stat: string;
  try {
    stat = readFileSync(`/proc/${entry}/stat`, 'latin1');
  } catch {
    return [];
  }
  // pid (name) state parent group session …, where the name may contain anything.
  const [state, , group, memberOf] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(memberOf) === session && state !== 'Z' && state !== 'X' ? [Number(group)] : [];
}

function isGroupThere(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    // A member that belongs to another user is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
