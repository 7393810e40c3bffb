import { InvalidOptionError, MAX_NAME_LENGTH, type KeyPart } from 'bedrock-lock';
import { checkKeyPart, parsePath, readPath } from './key.path.js';

/* eslint-disable-next-line no-control-regex -- control characters are what it looks for */
const CONTROL = /[\u0000-\u001f\u007f]/;

type Piece = string | Placeholder;
type KeyParts = [KeyPart, ...KeyPart[]];

/** A template, and the option that it stands in. */
interface Source {
  readonly text: string;
  readonly field: string;
}

interface Placeholder {
  /** As it stands in the template, for errors. */
  readonly text: string;
  readonly index: number;
  readonly path: readonly string[];
}

/** A key template, compiled once: `'{0.id}'`, `'{0.shop}:{1}'`, `'user-{0}'`. */
export class KeyTemplate {
  readonly #parts: readonly (readonly Piece[])[];

  /**
   * `{0.id}` stands for the own property `id` of the first argument. `:` outside of braces separates parts; what a value
   * contains never does, since `Mutex.for()` escapes it.
   * @param field the option that it stands in, for errors
   * @throws InvalidOptionError naming that
   */
  constructor(
    readonly text: string,
    private readonly field = 'key',
  ) {
    if (text.length > MAX_NAME_LENGTH)
      throw bad({ text, field }, `a template of at most ${MAX_NAME_LENGTH} characters`);
    if (CONTROL.test(text) || !text.isWellFormed())
      throw bad({ text, field }, 'well-formed text without control characters');
    this.#parts = text.split(':').map((part) => parsePart(part, { text, field }));
  }

  /** The highest argument that it asks for; -1 when it asks for none. */
  get lastIndex(): number {
    return Math.max(-1, ...this.#parts.flat().map((piece) => (typeof piece === 'string' ? -1 : piece.index)));
  }

  /** @throws InvalidOptionError naming the placeholder when its value is missing or cannot stand in a key */
  fill(args: readonly unknown[]): KeyParts {
    return this.#parts.map((pieces) => {
      const [first] = pieces;
      if (pieces.length === 1 && first !== undefined) return this.#valueOf(first, args);
      return pieces.map((piece) => String(this.#valueOf(piece, args))).join('');
    }) as KeyParts;
  }

  #valueOf(piece: Piece, args: readonly unknown[]): KeyPart {
    if (typeof piece === 'string') return piece;
    return checkKeyPart(`${this.field} ${piece.text}`, readPath(args[piece.index], piece.path));
  }
}

function parsePart(part: string, template: Source): readonly Piece[] {
  if (part === '') throw bad(template, 'a template without empty parts');
  return part
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => parsePiece(piece, template));
}

function parsePiece(piece: string, template: Source): Piece {
  if (!piece.includes('{') && !piece.includes('}')) return piece;
  const [, index, path] = /^\{(0|[1-9]\d?)(?:\.([^{}]+))?\}$/.exec(piece) ?? [];
  if (index === undefined) {
    throw bad(
      template,
      'a template with placeholders such as {0} or {0.id}, the number of an argument first',
    );
  }
  return {
    text: piece,
    index: Number(index),
    path: path === undefined ? [] : parsePath(`${template.field} ${piece}`, path),
  };
}

function bad({ field, text }: Source, requirement: string): InvalidOptionError {
  return new InvalidOptionError(field, requirement, text);
}
