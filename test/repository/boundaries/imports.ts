import { posix } from 'node:path';
import ts from 'typescript';
import type { Source } from './sources.js';

export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The file that a relative specifier names; undefined for a package. */
  readonly to: string | undefined;
  /** Whether it is erased by the compiler, so that nothing is loaded at run time. */
  readonly isTypeOnly: boolean;
  /** Whether it is an `import()`, which loads nothing before it is reached. */
  readonly isLate: boolean;
}

/** Every import of a file: `import type`, `export … from`, `import()` and `import('x').T` included. */
export function importsOf({ path, text }: Source): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, isTypeOnly: boolean, isLate = false): void => {
    if (node === undefined || !ts.isStringLiteralLike(node)) return;
    const specifier = node.text;
    const target = posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.ts'));
    const to = specifier.startsWith('.') ? target : undefined;
    found.push({ from: path, specifier, to, isTypeOnly, isLate });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

/** The imports of a file, of the files that it imports, and so on; the erased ones too, since its types need them. */
export function reachedFrom(entry: string, imports: readonly Import[]): Import[] {
  const files = new Set([entry]);
  for (const file of files) {
    for (const { from, to } of imports) if (from === file && to !== undefined) files.add(to);
  }
  return imports.filter(({ from }) => files.has(from));
}

/** One path per circle of files that import each other: `a → b → a`. */
export function circles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) if (to !== undefined) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const open: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    const start = open.indexOf(file);
    if (start >= 0) found.push([...open.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    open.push(file);
    next.get(file)?.forEach(visit);
    open.pop();
    done.add(file);
  };
  [...next.keys()].forEach(visit);
  return found;
}
