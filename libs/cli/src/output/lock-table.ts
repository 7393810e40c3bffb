import type { ClaimView } from 'bedrock-lock';
import type { HeldResource } from 'bedrock-lock/backend';
import { leaseText, ownerText } from './holder-table.js';
import { plainTable } from './plain-table.js';
import { visible } from './visible.js';

const HEAD = ['LOCK', 'HELD BY', 'MODE', 'HOLDERS', 'WAITERS', 'LEASE ENDS IN'];

/** The process, or the claim of one that the backend does not know. */
function holderName({ id, process }: ClaimView): string {
  return process === undefined ? visible(id) : ownerText(process);
}

/** A line for each lock: its first holder, how many others there are, and how many wait. */
export function lockTable(locks: readonly HeldResource[]): string {
  return plainTable(
    HEAD,
    locks.map(({ resource, holders, waiters }) => [
      visible(resource),
      holderName(holders[0]!),
      holders[0]!.mode,
      String(holders.length),
      String(waiters),
      leaseText(holders[0]!),
    ]),
  );
}
