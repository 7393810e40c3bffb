import { refuse, wholeOf, type Command, type Commands } from './command.js';
import type { Reply } from './reply.js';

const hset: Command = (db, [key, ...pairs]) => {
  if (pairs.length % 2 !== 0) refuse("ERR wrong number of arguments for 'hset' command");
  const hash = db.findOrMake(key!, 'hash');
  let added = 0;
  for (let at = 0; at < pairs.length; at += 2) {
    if (!hash.has(pairs[at]!)) added += 1;
    hash.set(pairs[at]!, pairs[at + 1]!);
  }
  return added;
};

const hdel: Command = (db, [key, ...fields]) => {
  const hash = db.find(key!, 'hash');
  const removed = fields.filter((field) => hash?.delete(field) === true).length;
  db.dropIfEmpty(key!);
  return removed;
};

const hincrby: Command = (db, [key, field, by]) => {
  const delta = wholeOf(by);
  const before = db.find(key!, 'hash')?.get(field!) ?? '0';
  if (!/^-?\d+$/.test(before)) refuse('ERR hash value is not an integer');
  const after = Number(before) + delta;
  db.findOrMake(key!, 'hash').set(field!, String(after));
  return after;
};

/** Small hashes are one page, in the order in which their fields were added. */
const hscan: Command = (db, [key]) => ['0', [...(db.find(key!, 'hash') ?? [])].flat()];

export const HASH_COMMANDS: Commands = {
  HSET: [3, hset],
  HDEL: [2, hdel],
  HINCRBY: [3, hincrby],
  HSCAN: [2, hscan],
  HGET: [2, (db, [key, field]) => db.find(key!, 'hash')?.get(field!) ?? null],
  HMGET: [
    2,
    (db, [key, ...fields]) => {
      const hash = db.find(key!, 'hash');
      return fields.map((field): Reply => hash?.get(field) ?? null);
    },
  ],
  HGETALL: [1, (db, [key]) => [...(db.find(key!, 'hash') ?? [])].flat()],
  HKEYS: [1, (db, [key]) => [...(db.find(key!, 'hash')?.keys() ?? [])]],
  HLEN: [1, (db, [key]) => db.find(key!, 'hash')?.size ?? 0],
  HEXISTS: [2, (db, [key, field]) => (db.find(key!, 'hash')?.has(field!) === true ? 1 : 0)],
};
