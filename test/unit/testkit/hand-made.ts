import type { HistoryLimits, HistoryEvent } from 'bedrock-testkit';

export type Tale = readonly [title: string, history: readonly HistoryEvent[], bounds?: HistoryLimits];

/** Events of hand-made histories, in few words: at, lease, and what matters. The process is the lease's first letter. */
type Facts = Partial<Record<string, unknown>>;

function event(kind: HistoryEvent['kind'], at: number, lease: string, facts: Facts = {}): HistoryEvent {
  return { kind, at, process: lease[0], resource: 'r', lease, ...facts } as unknown as HistoryEvent;
}

export const asked = (at: number, call: string, deadline?: number, facts?: Facts) =>
  event('asked', at, call, { call, deadline, ...facts });
export const failed = (at: number, call: string, code = 'LOCK_WAIT_TIMEOUT') =>
  event('failed', at, call, { call, code });
export const acquired = (at: number, lease: string, validUntil: number, token = 0, facts?: Facts) =>
  event('acquired', at, lease, { call: lease, validUntil, token, ...facts });
export const renewed = (at: number, lease: string, validUntil: number) =>
  event('renewed', at, lease, { validUntil });
export const seen = (at: number, lease: string, isHeld: boolean) => event('seen', at, lease, { isHeld });
export const releasing = (at: number, lease: string) => event('releasing', at, lease);
export const released = (at: number, lease: string, outcome = 'released') =>
  event('released', at, lease, { outcome });
export const lost = (at: number, lease: string, reason = 'expired') => event('lost', at, lease, { reason });
export const foreignWrite = (at: number, verb: 'renew' | 'withdraw', outcome: string) =>
  event('meddled', at, 'm', { verb, outcome });
export const stalled = (at: number, process: string, lateMs: number) =>
  event('stalled', at, process, { lateMs });
export const ended = (at: number, process: string) => event('ended', at, process);

/** A turn with so many of 4 permits. */
export const permitted = (from: number, lease: string, to: number, units: number): HistoryEvent[] => [
  acquired(from, lease, to + 1_000, 0, { share: { units, capacity: 4 } }),
  releasing(to, lease),
  released(to + 1, lease),
];

/** A whole turn in good order. */
export const turn = (from: number, lease: string, to: number, token = 0): HistoryEvent[] => [
  asked(from, lease),
  acquired(from, lease, to + 1_000, token),
  releasing(to, lease),
  released(to + 1, lease),
];
