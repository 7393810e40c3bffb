import { readdirSync, readFileSync } from 'node:fs';

export const read = (file: string): string => readFileSync(file, 'utf8');

/** A page from a heading to the next one of its level or above. @throws Error where it has no such heading */
export function section(page: string, heading: string): string {
  const lines = read(page).split('\n');
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`${page} has no heading "${heading}"`);
  const level = heading.indexOf(' ');
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return rest.slice(0, to < 0 ? undefined : to).join('\n');
}

/** The cells of each row of its tables, heads and rules among them. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The names that stand in a text as code. */
export function codeIn(text: string): ReadonlySet<string> {
  const spans = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, span]) => span!);
  return new Set(spans);
}

/** The members of the union of texts that a type of the library is. */
export function unionOf(file: string, type: string): readonly string[] {
  const [, members = ''] = new RegExp(`type ${type} =([^;]+);`).exec(read(file)) ?? [];
  return Array.from(members.matchAll(/'(\w+)'/g), ([, member]) => member!);
}

/** The files below a folder that end so. */
export function filesBelow(folder: string, end: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith(end) && !/(?:^|\/)node_modules\/|^api\//.test(name))
    .map((name) => `${folder}/${name}`);
}
