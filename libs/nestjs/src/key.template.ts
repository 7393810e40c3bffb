import { InvalidOptionError, MAX_NAME_LENGTH, type KeyPart } from 'bedrock-lock';
import { checkKeyPart, parsePath, readPath } from './key.path.js';

/* eslint-disable-next-line no-control-regex -- control characters are what it looks for */
const CONTROL = /[\u0000-\u001f\u007f]/;

type Piece = string | Placeholder;
type KeyParts = [KeyPart, ...KeyPart[]];

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
   * @throws InvalidOptionError('key')
   */
  constructor(readonly text: string) {
    if (text.length > MAX_NAME_LENGTH) throw bad(`a template of at most ${MAX_NAME_LENGTH} characters`, text);
    if (CONTROL.test(text) || !text.isWellFormed())
      throw bad('well-formed text without control characters', text);
    this.#parts = text.split(':').map((part) => parsePart(part, text));
  }

  /** The highest argument that it asks for; -1 when it asks for none. */
  get lastIndex(): number {
    return Math.max(-1, ...this.#parts.flat().map((piece) => (typeof piece === 'string' ? -1 : piece.index)));
  }

  /** @throws InvalidOptionError naming the placeholder when its value is missing or cannot stand in a key */
  fill(args: readonly unknown[]): KeyParts {
    return this.#parts.map((pieces) => {
      const [first] = pieces;
      if (pieces.length === 1 && first !== undefined) return valueOf(first, args);
      return pieces.map((piece) => String(valueOf(piece, args))).join('');
    }) as KeyParts;
  }
}

function valueOf(piece: Piece, args: readonly unknown[]): KeyPart {
  if (typeof piece === 'string') return piece;
  return checkKeyPart(`key ${piece.text}`, readPath(args[piece.index], piece.path));
}

function parsePart(part: string, template: string): readonly Piece[] {
  if (part === '') throw bad('a template without empty parts', template);
  return part
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => parsePiece(piece, template));
}

function parsePiece(piece: string, template: string): Piece {
  if (!piece.includes('{') && !piece.includes('}')) return piece;
  const [, index, path] = /^\{(0|[1-9]\d?)(?:\.([^{}]+))?\}$/.exec(piece) ?? [];
  if (index === undefined) {
    throw bad(
      'a template with placeholders such as {0} or {0.id}, the number of an argument first',
      template,
    );
  }
  return {
    text: piece,
    index: Number(index),
    path: path === undefined ? [] : parsePath(`key ${piece}`, path),
  };
}

function bad(requirement: string, template: string): InvalidOptionError {
  return new InvalidOptionError('key', requirement, template);
}
