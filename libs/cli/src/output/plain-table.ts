import Table from 'cli-table3';

const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/** Rows in columns, without lines, below the names of the columns. The cells must be harmless already. */
export function plainTable(head: string[], rows: readonly string[][]): string {
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };
  const table = new Table({ head, chars: NO_BORDERS, style });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
