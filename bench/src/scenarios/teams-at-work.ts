import { withContenders } from '../contender/run-contenders.js';
import type { Assignment } from '../contender/messages.js';
import type { TeamAccount } from '../roles/team.js';

/** What the processes of a team have noted: they begin once when all are warm of themselves, once when warm of each other. */
export function teamsAtWork(assignments: readonly Assignment[]): Promise<TeamAccount[]> {
  return withContenders<TeamAccount, TeamAccount[]>(assignments, async (contenders) => {
    for (const word of ['compete', 'go']) {
      await Promise.all(contenders.map((contender) => contender.receive()));
      for (const contender of contenders) contender.send(word);
    }
    return Promise.all(contenders.map((contender) => contender.account()));
  });
}
