import { readdirSync, readFileSync } from 'node:fs';

/**
 * True while a process of the group lives. A process that has ended counts no more, even if its parent has not asked for
 * its exit code: in a container without an init process that never happens.
 */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    // A member that belongs to another user is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || readdirSync('/proc').some((entry) => isLivingMember(entry, group));
}

/** @param entry the name of a folder of /proc */
function isLivingMember(entry: string, group: number): boolean {
  if (!/^\d+$/.test(entry)) return false;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${entry}/stat`, 'latin1');
  } catch {
    return false;
  }
  // pid (name) state parent group …, where the name may contain anything.
  const [state, , memberOf] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(memberOf) === group && state !== 'Z' && state !== 'X';
}
