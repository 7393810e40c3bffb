import type { NodeView } from 'bedrock-lock';
import { shownReason } from './unavailable.reason.js';

/** Health of one node of a combination, as seen from this process. */
export interface NodeHealth {
  /** Its `nodeId`, or its index among the nodes if the id is an address. */
  readonly id: string;
  /** False while it is not asked, because it did not answer or refused to grant. */
  readonly isAvailable: boolean;
  /** Start of its unavailability: ISO 8601. */
  readonly since?: string;
  /** Until when it grants nothing, because its data may have been lost: ISO 8601. */
  readonly quarantinedUntil?: string;
  /** Why it was last unavailable: a code or plain words, never an address, a user or a password. */
  readonly lastError?: string;
  /** Round trip of its latest answer, in ms. */
  readonly latencyMs?: number;
}

/** Characters of a default id: host, port and database, or a path. */
const ADDRESS = /[:/@]/;

/** The nodes in their order, safe to show to any client of a health endpoint. */
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
