import type { ClaimView } from 'bedrock-lock';
import { READERS } from 'bedrock-lock/backend';
import Table from 'cli-table3';
import { durationText } from './durations.js';
import { visible } from './visible.js';

const HEAD = ['HOLDER', 'PROCESS', 'MODE', 'UNITS', 'DEPTH', 'LEASE ENDS IN'];
const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/** A line for each holder, below a line with the names of the columns. */
export function holderTable(holders: readonly ClaimView[]): string {
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };
  const table = new Table({ head: HEAD, chars: NO_BORDERS, style });
  for (const holder of holders) table.push(cellsOf(holder));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function cellsOf({ id, process, mode, units, depth, remainingMs, revoked }: ClaimView): string[] {
  const owner =
    process === undefined
      ? 'unknown'
      : `${process.label === undefined ? '' : `${visible(process.label)} `}${visible(String(process.pid))}@${visible(String(process.host))}`;
  const life = remainingMs === Infinity ? 'never' : durationText(remainingMs);
  return [visible(id), owner, mode, unitsText(units), String(depth), revoked ? `${life}, revoked` : life];
}

/** A writer has all units that there are. */
function unitsText(units: number): string {
  return units >= READERS ? 'all' : String(units);
}
