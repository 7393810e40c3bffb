import type { NodeView } from 'bedrock-lock';
import { shownReason } from './unavailable.reason.js';

/** How one node of a combination is, seen from this process. */
export interface NodeHealth {
  /** Its `nodeId`; its number in the order of the nodes where that is an address. */
  readonly id: string;
  /** False: not asked at present, since it did not answer or would not grant. */
  readonly isAvailable: boolean;
  /** Since when it is not: ISO 8601. */
  readonly since?: string;
  /** Until when it grants nothing, because its data may have been lost: ISO 8601. */
  readonly quarantinedUntil?: string;
  /** Why it was not available, when it last was not: a code or plain words, never an address, a user or a password. */
  readonly lastError?: string;
  /** Round trip of its latest answer, in ms. */
  readonly latencyMs?: number;
}

/** What an id is made of that nobody has given: host, port and database, or a path. */
const ADDRESS = /[:/@]/;

/** The nodes in their order, as anybody may see them who can reach a health endpoint. */
export function nodesHealth(views: readonly NodeView[]): readonly NodeHealth[] {
  return views.map(
    ({ id, isAvailable, unavailableSince, quarantinedUntil, lastError, lastLatencyMs }, i) => ({
      id: ADDRESS.test(id) ? `node ${i + 1}` : id,
      isAvailable,
      ...(unavailableSince !== undefined && { since: isoOf(unavailableSince) }),
      ...(quarantinedUntil !== undefined && { quarantinedUntil: isoOf(quarantinedUntil) }),
      ...(lastError !== undefined && { lastError: shownReason(lastError) ?? 'unavailable' }),
      ...(lastLatencyMs !== undefined && { latencyMs: roundedMs(lastLatencyMs) }),
    }),
  );
}

export function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
