import { jainIndex } from '../figures/statistics.js';
import type { CrowdAccount } from '../roles/crowd.js';
import type { Figures } from './scenario.js';

/** Figures of a crowd in one process. */
export function crowdFigures({ cycles, elapsedMs, cpuMs, failures, commands }: CrowdAccount): Figures {
  const total = cycles.reduce((sum, count) => sum + count, 0);
  return {
    cyclesPerS: (1_000 * total) / elapsedMs,
    jain: jainIndex(cycles),
    starved: cycles.filter((count) => count === 0).length,
    commandsPerCycle: commands / total,
    cpuUsPerCycle: (1_000 * cpuMs) / total,
    failures,
  };
}
