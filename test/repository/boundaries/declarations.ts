import ts from 'typescript';
import type { Source } from './sources.js';

/** Names of types of the libraries that several files declare, each with its files: one name would mean several things. */
export function typesDeclaredTwice(sources: readonly Source[]): string[] {
  const files = new Map<string, string[]>();
  for (const { path, text } of sources) {
    if (!path.startsWith('libs/')) continue;
    for (const name of typesIn(path, text)) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return [...files]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

function typesIn(path: string, text: string): Set<string> {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const names = file.statements.flatMap((statement) => {
    const isType =
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement);
    return isType && statement.name !== undefined ? [statement.name.text] : [];
  });
  return new Set(names);
}
