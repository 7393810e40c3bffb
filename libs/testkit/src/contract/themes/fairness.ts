import assert from 'node:assert/strict';
import type { ContractTheme } from '../contract-theme.js';

export const fairness: ContractTheme = {
  'gives every process its turns within a second while others never pause': async (stage) => {
    const job = { tasks: 4, cycles: 100, bodyMs: 1 };
    const { turns, mostTurnsWaited } = await stage.crowd([job, job, job]);
    assert.deepEqual(turns, { p1: 400, p2: 400, p3: 400 });
    assert.ok(mostTurnsWaited < stage.mostTurns, `somebody waited for ${mostTurnsWaited} turns of others`);
  },

  'gives a single caller its turn beside a process with many': async (stage) => {
    const crowded = stage.crowd([
      { label: 'many', tasks: 30, cycles: 30, bodyMs: 1 },
      { label: 'one', cycles: 15, bodyMs: 1 },
    ]);
    const { turns, mostTurnsWaited } = await crowded;
    assert.deepEqual(turns, { many: 900, one: 15 });
    assert.ok(mostTurnsWaited < stage.mostTurns, `somebody waited for ${mostTurnsWaited} turns of others`);
  },
};
