import type { ClaimView, ProcessView } from 'bedrock-lock';
import { READERS } from 'bedrock-lock/backend';
import { durationText } from './durations.js';
import { plainTable } from './plain-table.js';
import { visible } from './visible.js';

const HEAD = ['HOLDER', 'PROCESS', 'MODE', 'UNITS', 'DEPTH', 'LEASE ENDS IN'];

/** A line for each holder, below a line with the names of the columns; with the nodes of a combination. */
export function holderTable(holders: readonly ClaimView[]): string {
  const isOnNodes = holders.some(({ nodes }) => nodes !== undefined);
  const head = isOnNodes ? [...HEAD, 'NODES'] : HEAD;
  return plainTable(
    head,
    holders.map((holder) => {
      const { id, process, mode, units, depth, nodes = [] } = holder;
      const cells = [
        visible(id),
        ownerText(process),
        mode,
        unitsText(units),
        String(depth),
        leaseText(holder),
      ];
      return isOnNodes ? [...cells, visible(nodes.join(' '))] : cells;
    }),
  );
}

/** `<label> <pid>@<host>` */
export function ownerText(process: ProcessView | undefined): string {
  if (process === undefined) return 'unknown';
  const { label, pid, host } = process;
  return `${label === undefined ? '' : `${visible(label)} `}${visible(String(pid))}@${visible(String(host))}`;
}

/** When the lease ends, unless it is renewed. */
export function leaseText({ remainingMs, revoked }: Pick<ClaimView, 'remainingMs' | 'revoked'>): string {
  const life = remainingMs === Infinity ? 'never' : durationText(remainingMs);
  return revoked ? `${life}, revoked` : life;
}

/** A writer has all units that there are. */
function unitsText(units: number): string {
  return units >= READERS ? 'all' : String(units);
}
