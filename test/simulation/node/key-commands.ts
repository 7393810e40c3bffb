import { refuse, wholeOf, type Command, type Commands } from './command.js';
import { OK, Status } from './reply.js';

/** @param base the instant, by the clock of the server, that the argument counts from */
function expire(name: string, base: 'now' | 'epoch'): Command {
  return (db, [key, ms, ...options]) => {
    if (options.length > 0) refuse(`ERR the simulation knows no options of ${name}`);
    const at = wholeOf(ms) + (base === 'now' ? db.now : 0);
    return db.expireAt(key!, at) ? 1 : 0;
  };
}

const pttl: Command = (db, [key]) => {
  const end = db.endOf(key!);
  if (end === undefined) return -2;
  return end === Infinity ? -1 : Math.max(0, end - db.now);
};

export const KEY_COMMANDS: Commands = {
  DEL: [1, (db, keys) => keys.filter((key) => db.remove(key)).length],
  EXISTS: [1, (db, keys) => keys.filter((key) => db.typeOf(key) !== undefined).length],
  PTTL: [1, pttl],
  PEXPIRE: [2, expire('pexpire', 'now')],
  PEXPIREAT: [2, expire('pexpireat', 'epoch')],
  PERSIST: [
    1,
    (db, [key]) => {
      const end = db.endOf(key!);
      db.persist(key!);
      return end === undefined || end === Infinity ? 0 : 1;
    },
  ],
  TYPE: [1, (db, [key]) => new Status(db.typeOf(key!) ?? 'none')],
  KEYS: [
    1,
    (db, [pattern]) => (pattern === '*' ? db.keys() : refuse('ERR the simulation knows KEYS * alone')),
  ],
  FLUSHALL: [
    0,
    (db) => {
      db.clear();
      return OK;
    },
  ],
};
