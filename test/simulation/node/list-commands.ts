import { rangeOf, refuse, wholeOf, type Command, type Commands } from './command.js';

const lrem: Command = (db, [key, count, value]) => {
  let left = wholeOf(count);
  if (left < 0) refuse('ERR the simulation removes from the head alone');
  if (left === 0) left = Infinity;
  const list = db.find(key!, 'list') ?? [];
  let removed = 0;
  for (let at = 0; at < list.length && removed < left;) {
    if (list[at] !== value) at += 1;
    else {
      list.splice(at, 1);
      removed += 1;
    }
  }
  db.dropIfEmpty(key!);
  return removed;
};

export const LIST_COMMANDS: Commands = {
  RPUSH: [2, (db, [key, ...values]) => db.findOrMake(key!, 'list').push(...values)],
  LPOP: [
    1,
    (db, [key]) => {
      const popped = db.find(key!, 'list')?.shift() ?? null;
      db.dropIfEmpty(key!);
      return popped;
    },
  ],
  LINDEX: [2, (db, [key, at]) => (db.find(key!, 'list') ?? []).at(wholeOf(at)) ?? null],
  LRANGE: [3, (db, [key, from, to]) => rangeOf(db.find(key!, 'list') ?? [], wholeOf(from), wholeOf(to))],
  LREM: [3, lrem],
};
