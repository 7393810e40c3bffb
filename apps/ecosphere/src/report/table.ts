/** A cell: its text, and its style on a terminal, applied once the width is known. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export type Row = readonly (string | Cell)[];

export interface TableOptions {
  readonly head?: Row;
  /** Right-aligned columns, from 0. */
  readonly right?: readonly number[];
}

const INDENT = '  ';
const GAP = '  ';

/** Lines of a table with aligned columns. Colour is applied last, since colour codes have no width. */
export function tableLines(rows: readonly Row[], { head, right = [] }: TableOptions = {}): string[] {
  const all = (head === undefined ? rows : [head, ...rows]).map((row) => row.map(asCell));
  const widths: number[] = [];
  for (const row of all) {
    for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
  }
  const lines = all.map((row) => {
    const cells = row.map(({ text, paint = (plain) => plain }, at) => {
      const room = ' '.repeat(widths[at]! - text.length);
      return right.includes(at) ? room + paint(text) : paint(text) + room;
    });
    return (INDENT + cells.join(GAP)).trimEnd();
  });
  if (head !== undefined) lines.splice(1, 0, INDENT + widths.map((width) => '─'.repeat(width)).join(GAP));
  return lines;
}

function asCell(cell: string | Cell): Cell {
  return typeof cell === 'string' ? { text: cell } : cell;
}
