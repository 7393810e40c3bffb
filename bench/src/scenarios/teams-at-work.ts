import { withContenders } from '../contender/run-contenders.js';
import type { Assignment } from '../contender/messages.js';
import type { TeamAccount } from '../roles/team.js';

/**
 * The accounts of a team's processes. They begin twice: once each has warmed up alone, and once they have warmed up
 * together.
 */
export function teamsAtWork(assignments: readonly Assignment[]): Promise<TeamAccount[]> {
  return withContenders<TeamAccount, TeamAccount[]>(assignments, async (contenders) => {
    for (const word of ['compete', 'go']) {
      await Promise.all(contenders.map((contender) => contender.receive()));
      for (const contender of contenders) contender.send(word);
    }
    return Promise.all(contenders.map((contender) => contender.account()));
  });
}
