import { commandsSent } from './commands.js';

/** Resources that this process used during an interval. */
export interface Usage {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly commands: number;
}

/** Begins an interval; the returned function ends it. */
export function usageFromHere(): () => Usage {
  const sentBefore = commandsSent();
  const cpuBefore = process.cpuUsage();
  const from = performance.now();
  return () => {
    const elapsedMs = performance.now() - from;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { elapsedMs, cpuMs: (user + system) / 1_000, commands: commandsSent() - sentBefore };
  };
}
