import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Next to the sources, and found from the built files too: static files need no build. */
const FOLDER = fileURLToPath(new URL('../../src/page/static/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The complete list: a requested name is looked up here, never in a folder. */
const NAMES = [
  'index.html',
  'style.css',
  'parts.css',
  'icon.svg',
  ...['main', 'element', 'feed', 'figures', 'form', 'orders', 'send'].map((name) => `${name}.js`),
];

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** The files of the page by name. @throws at the start if one is missing */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = NAMES.map(async (name) => {
    const text = await readFile(`${FOLDER}${name}`, 'utf8');
    return [name, { type: TYPES[extname(name)]!, text }] as const;
  });
  return new Map(await Promise.all(files));
}
