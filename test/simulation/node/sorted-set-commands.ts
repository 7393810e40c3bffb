import { formatG } from '../lua/lua-values.js';
import { floatOf, rangeOf, wholeOf, type Command, type Commands } from './command.js';
import { CommandError } from './keyspace.js';
import { SYNTAX, type Reply } from './reply.js';
import type { SortedSet } from './sorted-set.js';

/** Whole scores as they are; others with 17 digits. */
function scoreText(score: number): string {
  return formatG(score, 17);
}

/** One end of a range of scores: `(` leaves the score itself out. */
function edge(text: string): { readonly score: number; readonly isOpen: boolean } {
  const isOpen = text.startsWith('(');
  return { score: floatOf(isOpen ? text.slice(1) : text), isOpen };
}

function between(set: SortedSet | undefined, from: string, to: string): string[] {
  const [low, high] = [edge(from), edge(to)];
  return (set?.members ?? []).filter((member) => {
    const score = set!.score(member)!;
    const isAbove = low.isOpen ? score > low.score : score >= low.score;
    return isAbove && (high.isOpen ? score < high.score : score <= high.score);
  });
}

function shown(set: SortedSet | undefined, members: readonly string[], options: readonly string[]): Reply {
  if (options.length === 0) return members;
  if (options.length > 1 || options[0]!.toUpperCase() !== 'WITHSCORES') throw new CommandError(SYNTAX);
  return members.flatMap((member) => [member, scoreText(set!.score(member)!)]);
}

const zadd: Command = (db, [key, ...pairs]) => {
  if (pairs.length % 2 !== 0) throw new CommandError(SYNTAX);
  const scores = pairs.filter((_, at) => at % 2 === 0).map(floatOf);
  const set = db.findOrMake(key!, 'zset');
  let added = 0;
  for (const [at, score] of scores.entries()) {
    const member = pairs[at * 2 + 1]!;
    if (set.score(member) === undefined) added += 1;
    set.set(member, score);
  }
  return added;
};

const remove =
  (choose: (set: SortedSet, args: readonly string[]) => readonly string[]): Command =>
  (db, [key, ...args]) => {
    const set = db.find(key!, 'zset');
    const removed = set === undefined ? 0 : choose(set, args).filter((member) => set.delete(member)).length;
    db.dropIfEmpty(key!);
    return removed;
  };

export const SORTED_SET_COMMANDS: Commands = {
  ZADD: [3, zadd],
  ZREM: [2, remove((_, members) => members)],
  ZREMRANGEBYSCORE: [3, remove((set, [from, to]) => between(set, from!, to!))],
  ZINCRBY: [
    3,
    (db, [key, by, member]) => {
      const delta = floatOf(by!);
      const set = db.findOrMake(key!, 'zset');
      const score = (set.score(member!) ?? 0) + delta;
      set.set(member!, score);
      return scoreText(score);
    },
  ],
  ZSCORE: [
    2,
    (db, [key, member]) => {
      const score = db.find(key!, 'zset')?.score(member!);
      return score === undefined ? null : scoreText(score);
    },
  ],
  ZRANGE: [
    3,
    (db, [key, from, to, ...options]) => {
      const set = db.find(key!, 'zset');
      return shown(set, rangeOf(set?.members ?? [], wholeOf(from), wholeOf(to)), options);
    },
  ],
  ZRANGEBYSCORE: [
    3,
    (db, [key, from, to, ...options]) => {
      const set = db.find(key!, 'zset');
      return shown(set, between(set, from!, to!), options);
    },
  ],
};
