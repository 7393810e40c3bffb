import type { Duty } from './duty.js';

/** Every duty by its name. Each is loaded where it is done: the victim of a crash test needs no Nest. */
const DUTIES = {
  'flash-sale': async () => (await import('../flash-sale/sale.duty.js')).saleDuty,
  contention: async () => (await import('../contention/contention.duty.js')).contentionDuty,
  victim: async () => (await import('../stages/victim.duty.js')).victimDuty,
};

type DutyFunctions = { [N in keyof typeof DUTIES]: Awaited<ReturnType<(typeof DUTIES)[N]>> };
export type DutyName = keyof DutyFunctions;
export type OrderOf<N extends DutyName> = Parameters<DutyFunctions[N]>[0];
export type AccountOf<N extends DutyName> = DutyFunctions[N] extends Duty<never, infer R> ? R : never;

export async function dutyOf<N extends DutyName>(name: N): Promise<Duty<OrderOf<N>, AccountOf<N>>> {
  return (await DUTIES[name]()) as unknown as Duty<OrderOf<N>, AccountOf<N>>;
}
