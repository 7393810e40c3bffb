import { refuse, wholeOf, type Command, type Commands } from './command.js';
import { CommandError } from './keyspace.js';
import { NOT_AN_INTEGER, OK, SYNTAX } from './reply.js';

const set: Command = (db, [key, value, ...options]) => {
  let [expiresAt, onlyIf]: [number, string | undefined] = [Infinity, undefined];
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at]!.toUpperCase();
    if (option === 'NX' || option === 'XX') onlyIf = option;
    else if (option === 'PX' || option === 'PXAT') {
      const given = wholeOf(options[++at]);
      if (given <= 0) refuse("ERR invalid expire time in 'set' command");
      expiresAt = option === 'PX' ? db.now + given : given;
    } else throw new CommandError(SYNTAX);
  }
  if (onlyIf !== undefined && (onlyIf === 'NX') === (db.typeOf(key!) !== undefined)) return null;
  db.write(key!, value!, expiresAt);
  return OK;
};

const getset: Command = (db, [key, value]) => {
  const before = db.find(key!, 'string') ?? null;
  db.write(key!, value!);
  return before;
};

function increment(sign: 1 | -1): Command {
  return (db, [key, by]) => {
    const delta = wholeOf(by) * sign;
    const before = db.find(key!, 'string') ?? '0';
    const after = wholeOf(before) + delta;
    if (!Number.isSafeInteger(after)) throw new CommandError(NOT_AN_INTEGER);
    db.rewrite(key!, String(after));
    return after;
  };
}

export const STRING_COMMANDS: Commands = {
  GET: [1, (db, [key]) => db.find(key!, 'string') ?? null],
  SET: [2, set],
  GETSET: [2, getset],
  INCRBY: [2, increment(1)],
  DECRBY: [2, increment(-1)],
};
