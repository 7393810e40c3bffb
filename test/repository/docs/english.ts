import ts from 'typescript';

/** A word that a native writer of technical English avoids or spells otherwise. */
export interface AvoidedWord {
  /** From 1. */
  readonly line: number;
  readonly word: string;
}

/**
 * Actors without a noun, and words of translated English. `who` counts where no noun precedes it: at the start of a
 * sentence that is not a question, and after a preposition. A relative clause such as "the caller who holds" is fine.
 * A pattern looks back from its word: looking back from every blank of the text made all of it seven times slower.
 */
const AVOIDED: readonly RegExp[] = [
  /\b(?:whoever|nobody|somebody|everybody|anybody|those\s+who)\b/gi,
  /Who\b(?<=(?:^|[.;:]\s+|\n\s*\n\s*)Who)(?![^.;:?]*\?)/g,
  /\b(?:of|by|for|to|from|than|at|with)\s+who\b/gi,
  /\bwhat\s+is\b(?![^.;:?]*\?)/gi,
  /\b(?:is|are)\s+told\b/gi,
  /\b(?:under\s+way|over\s+processes|not\s+to\s+be\s+had|belongs?\s+into)\b/gi,
  /\boutlive[sd]?\b/gi,
  /\btrips?\b(?<!\bround[\s-]+trips?)/gi,
  /\b(?:dead-lock|fail-over)/gi,
  /\bmends?\b|\bwhat it cannot do\b/gi,
];

/** Finds the text that readers see as English; everything else becomes blanks, so that line numbers stay. */
const PROSE: readonly (readonly [ending: string, prose: (text: string) => string])[] = [
  ['.ts', (text) => keep(text, commentsOf(text))],
  ['.mjs', (text) => keep(text, commentsOf(text))],
  ['.lua', scriptProse],
  ['.sql', scriptProse],
  ['.md', (text) => text.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`|\]\([^)]*\)/gm, blank)],
];

export function avoidedWords(path: string, text: string): readonly AvoidedWord[] {
  const prose = PROSE.find(([ending]) => path.endsWith(ending))?.[1](text) ?? '';
  const found = AVOIDED.flatMap((pattern) => Array.from(prose.matchAll(pattern), hitOf(prose)));
  return found.sort((one, other) => one.line - other.line);
}

function hitOf(prose: string): (match: RegExpExecArray) => AvoidedWord {
  return ({ 0: word, index }) => ({
    line: prose.slice(0, index).split('\n').length,
    word: word.replaceAll(/\s+/g, ' '),
  });
}

type Range = readonly [from: number, to: number];

/** The comments of TypeScript, from its syntax: a string or a pattern may contain `//`. */
function commentsOf(text: string): readonly Range[] {
  const file = ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, Range>();
  const add = (found: readonly ts.CommentRange[] = []): void =>
    found.forEach(({ pos, end }) => ranges.set(pos, [pos, end]));
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(file);
    children.forEach(visit);
    if (children.length > 0) return;
    add(ts.getLeadingCommentRanges(text, node.getFullStart()));
    add(ts.getTrailingCommentRanges(text, node.getEnd()));
  };
  visit(file);
  return [...ranges.values()].sort(([one], [other]) => one - other);
}

/** The comments of Lua and SQL; strings are matched first, since they may contain `--`. */
function scriptProse(text: string): string {
  const parts = text.matchAll(/'[^'\n]*'|"[^"\n]*"|--\[\[[\s\S]*?\]\]|--[^\n]*/g);
  const comments = Array.from(parts).filter(([part]) => part.startsWith('--'));
  return keep(
    text,
    comments.map(({ 0: comment, index }) => [index, index + comment.length]),
  );
}

/** Keeps these ranges without the marks of their comments. */
function keep(text: string, ranges: readonly Range[]): string {
  let [kept, at] = ['', 0];
  for (const [from, to] of ranges) {
    kept +=
      blank(text.slice(at, from)) +
      text.slice(from, to).replaceAll(/^\s*(?:\/?\*+\/?|\/\/|--)|\*\/$/gm, blank);
    at = to;
  }
  return kept + blank(text.slice(at));
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
