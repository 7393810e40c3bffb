import { InvalidOptionError, type KeyPart } from 'bedrock-lock';
import { MAX_NAME_LENGTH } from 'bedrock-lock/integration';
import { checkKeyPart, parsePath, readPath, type ArgumentPath } from './key.path.js';

/* eslint-disable-next-line no-control-regex -- control characters are what it looks for */
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Characters of an escape sequence; a text between two values needs one character outside this set. */
const ESCAPE_CHARACTERS = /[%0-9A-F]/g;

type TemplatePiece = string | Placeholder;
type KeyParts = [KeyPart, ...KeyPart[]];

/** A template and the option that holds it. */
interface TemplateSource {
  readonly text: string;
  readonly field: string;
}

/** A section between two colons. */
interface TemplatePart {
  readonly pieces: readonly TemplatePiece[];
  readonly escape: (piece: TemplatePiece, text: string) => string;
}

type Placeholder = ArgumentPath;

/** A key template, compiled once: `'{0.id}'`, `'{0.shop}:{1}'`, `'user-{0}'`. */
export class KeyTemplate {
  readonly #parts: readonly TemplatePart[];

  /**
   * `{0.id}` stands for the own property `id` of the first argument. A `:` outside braces separates parts; a `:` in a
   * value never does, since `Mutex.for()` escapes it.
   * @param field the option that holds the template, for errors
   * @throws InvalidOptionError naming that option
   */
  constructor(
    readonly text: string,
    field = 'key',
  ) {
    if (text.length > MAX_NAME_LENGTH)
      throw templateError({ text, field }, `a template of at most ${MAX_NAME_LENGTH} characters`);
    if (CONTROL.test(text) || !text.isWellFormed())
      throw templateError({ text, field }, 'well-formed text without control characters');
    this.#parts = text.split(':').map((part) => parsePart(part, { text, field }));
  }

  /** The highest argument index in use; -1 if the template uses no argument. */
  get lastIndex(): number {
    return Math.max(
      -1,
      ...this.#parts
        .flatMap(({ pieces }) => pieces)
        .map((piece) => (typeof piece === 'string' ? -1 : piece.index)),
    );
  }

  /** @throws InvalidOptionError naming the placeholder if its value is missing or cannot be part of a key */
  fill(args: readonly unknown[]): KeyParts {
    return this.#parts.map(({ pieces, escape }) => {
      const [first] = pieces;
      if (pieces.length === 1 && first !== undefined) return this.#valueOf(first, args);
      return pieces.map((piece) => escape(piece, String(this.#valueOf(piece, args)))).join('');
    }) as KeyParts;
  }

  #valueOf(piece: TemplatePiece, args: readonly unknown[]): KeyPart {
    if (typeof piece === 'string') return piece;
    return checkKeyPart(piece.field, readPath(args, piece));
  }
}

function parsePart(part: string, template: TemplateSource): TemplatePart {
  if (part === '') throw templateError(template, 'a template without empty parts');
  const pieces = part
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => parsePiece(piece, template));
  const first = pieces.findIndex(isPlaceholder);
  for (let at = first + 1; first >= 0 && at < pieces.length; at += 1) {
    if (!isPlaceholder(pieces[at]!) || !isPlaceholder(pieces[at - 1]!)) continue;
    throw templateError(template, 'a template with ":" or another text between two placeholders');
  }
  const between = pieces.slice(first + 1, pieces.findLastIndex(isPlaceholder));
  if (between.some((piece) => typeof piece === 'string' && piece.replaceAll(ESCAPE_CHARACTERS, '') === ''))
    throw templateError(template, 'a template with more than digits, A to F and % between two placeholders');
  return { pieces, escape: escaperFor(pieces) };
}

function isPlaceholder(piece: TemplatePiece): piece is Placeholder {
  return typeof piece !== 'string';
}

/**
 * Values that share a part are percent-encoded, so that no value contains the text between them. `{0}-{1}` then never
 * gives one key for both `a-b`, `c` and `a`, `b-c`.
 */
function escaperFor(pieces: readonly TemplatePiece[]): (piece: TemplatePiece, text: string) => string {
  if (pieces.filter(isPlaceholder).length < 2) return (_piece, text) => text;
  const between = pieces.filter((piece) => typeof piece === 'string').join('');
  const reserved = new Set(`%${between.replaceAll(ESCAPE_CHARACTERS, '')}`);
  const escape = (char: string): string =>
    reserved.has(char) ? Array.from(Buffer.from(char), toHex).join('') : char;
  return (piece, text) => (isPlaceholder(piece) ? Array.from(text, escape).join('') : text);
}

function toHex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function parsePiece(piece: string, template: TemplateSource): TemplatePiece {
  if (!piece.includes('{') && !piece.includes('}')) return piece;
  const [, index, path] = /^\{(0|[1-9]\d?)(?:\.([^{}]+))?\}$/.exec(piece) ?? [];
  if (index === undefined) {
    const requirement = 'a template with placeholders such as {0} or {0.id}, the number of an argument first';
    throw templateError(template, requirement + adviceOn(piece));
  }
  const field = `${template.field} ${piece}`;
  return {
    field,
    index: Number(index),
    names: path === undefined ? [] : parsePath(field, path),
    alternative: 'give a function in place of the template',
  };
}

/**
 * Advice for a parameter name as placeholder. Names do not exist at run time, so only the author knows the argument's
 * index.
 */
function adviceOn(piece: string): string {
  const [, rest] = /^\{[A-Za-z_$][\w$]*((?:\.[^{}]+)?)\}$/.exec(piece) ?? [];
  if (rest === undefined) return '';
  return `; in ${piece} write the number of the argument in place of its name, {0${rest}} for the first, {1${rest}} for the second`;
}

function templateError({ field, text }: TemplateSource, requirement: string): InvalidOptionError {
  return new InvalidOptionError(field, requirement, text);
}
