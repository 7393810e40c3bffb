import type { Keyspace } from './keyspace.js';
import { CommandError } from './keyspace.js';
import { NOT_A_FLOAT, NOT_AN_INTEGER, Refusal, type Reply } from './reply.js';

/** A command on keys. @throws CommandError */
export type Command = (db: Keyspace, args: readonly string[]) => Reply;

/** Commands by their names in upper case, with the least number of arguments. */
export type Commands = Readonly<Record<string, readonly [arity: number, command: Command]>>;

export function wholeOf(text: string | undefined): number {
  if (text === undefined || !/^(?:0|-?[1-9]\d*)$/.test(text)) throw new CommandError(NOT_AN_INTEGER);
  return Number(text);
}

const FLOAT = /^[+-]?(?:inf|\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)$/i;

export function floatOf(text: string): number {
  if (!FLOAT.test(text)) throw new CommandError(NOT_A_FLOAT);
  return Number(text.replace(/inf/i, 'Infinity'));
}

export function refuse(text: string): never {
  throw new CommandError(new Refusal(text));
}

/** The part of a list between two places, of which negative ones count from the end. */
export function rangeOf<T>(items: readonly T[], from: number, to: number): T[] {
  const start = from < 0 ? Math.max(items.length + from, 0) : from;
  const end = to < 0 ? items.length + to : to;
  return items.slice(start, end + 1);
}
