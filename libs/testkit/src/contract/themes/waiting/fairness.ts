import assert from 'node:assert/strict';
import type { ContractTheme } from '../../context/contract-theme.js';

export const fairness: ContractTheme = {
  'gives every process its turns within a second while others never pause': async (stage) => {
    const cycles = stage.cycles(100);
    const job = { tasks: 4, cycles, bodyMs: 1 };
    const { turns } = await stage.crowd([job, job, job], { turns: stage.turns });
    assert.deepEqual(turns, { p1: 4 * cycles, p2: 4 * cycles, p3: 4 * cycles });
  },

  'gives a single caller its turn beside a process with many': async (stage) => {
    const [many, one] = [stage.cycles(30), stage.cycles(15)];
    const jobs = [
      { label: 'many', tasks: 30, cycles: many, bodyMs: 1 },
      { label: 'one', cycles: one, bodyMs: 1 },
    ];
    const { turns } = await stage.crowd(jobs, { turns: stage.turns });
    assert.deepEqual(turns, { many: 30 * many, one });
  },
};
