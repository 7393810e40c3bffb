import assert from 'node:assert/strict';
import type { ContractGroup } from '../../context/contract-group.js';

export const fairness: ContractGroup = {
  'gives every process its turns within a second while others never pause': async (context) => {
    const cycles = context.cycles(100);
    const job = { tasks: 4, cycles, bodyMs: 1 };
    const { turns } = await context.runContenders([job, job, job], { turns: context.turnBound });
    assert.deepEqual(turns, { p1: 4 * cycles, p2: 4 * cycles, p3: 4 * cycles });
  },

  'gives a single caller its turn beside a process with many': async (context) => {
    const [many, one] = [context.cycles(30), context.cycles(15)];
    const jobs = [
      { label: 'many', tasks: 30, cycles: many, bodyMs: 1 },
      { label: 'one', cycles: one, bodyMs: 1 },
    ];
    const { turns } = await context.runContenders(jobs, { turns: context.turnBound });
    assert.deepEqual(turns, { many: 30 * many, one });
  },
};
