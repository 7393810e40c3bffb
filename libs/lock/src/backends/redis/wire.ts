import type { Script } from './script.js';

// Requests in RESP, as texts in which each character is one byte: such a text is copied to the socket as it is.

/** One argument whose text is ASCII: a number, an id, a name of Bedrock's own. */
export function word(text: string | number): string {
  const ascii = typeof text === 'string' ? text : String(text);
  return `$${ascii.length}\r\n${ascii}\r\n`;
}

/** One argument of any text. */
export function name(text: string): string {
  const length = Buffer.byteLength(text);
  const bytes = length === text.length ? text : Buffer.from(text).toString('latin1');
  return `$${length}\r\n${bytes}\r\n`;
}

/** Flags. */
export const YES = word(1);
export const NO = word(0);

/** What a script is called with: the number of keys, the keys and the arguments, as RESP. */
export interface ScriptInput {
  readonly text: string;
  /** How many they are, with the number of keys. */
  readonly count: number;
}

/** The request that runs a script by its hash. */
export function byHash({ sha1 }: Script, { text, count }: ScriptInput): string {
  return `*${count + 2}\r\n$7\r\nevalsha\r\n$40\r\n${sha1}\r\n${text}`;
}

/** The request that runs a script by its text, which the server keeps from then on. */
export function byText({ source }: Script, { text, count }: ScriptInput): string {
  return `*${count + 2}\r\n$4\r\neval\r\n${name(source)}${text}`;
}
