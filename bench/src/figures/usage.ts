import { commandsSent } from './commands.js';

/** What a stretch of time took of this process. */
export interface Usage {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly commands: number;
}

/** Begins a stretch; call what it gives to end it. */
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
