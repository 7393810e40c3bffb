import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A fenced block of a Markdown page. */
export interface Snippet {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

const FENCE = /^```(\S*)[^\n]*\n([\s\S]*?)^```/gm;

export function snippetsOf(root: string, file: string): Snippet[] {
  const text = readFileSync(file, 'utf8');
  return Array.from(text.matchAll(FENCE), (match) => ({
    file: relative(root, file),
    line: text.slice(0, match.index).split('\n').length,
    language: match[1]!,
    code: match[2]!,
  }));
}

/** The pages for users: both READMEs, docs/, and the README of every package and backend. */
export function pagesOf(root: string): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/(?:^|\/)(?:node_modules|dist)\/|^api\//.test(name))
      .map((name) => join(root, folder, name));
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  return [
    ...top.map((name) => join(root, name)),
    ...below('docs'),
    ...below('libs'),
    ...below('observability'),
  ];
}
