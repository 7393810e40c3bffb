import { Refusal, Status, type Reply } from '../node/reply.js';
import { formatG, LuaError, LuaTable, type LuaValue } from './lua-values.js';

/** A reply as a script sees it: nil is false, a list a table. @throws LuaError for an error */
export function toLua(reply: Reply): LuaValue {
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply === null) return false;
  if (reply instanceof Refusal) return errorTable(reply.text);
  if (reply instanceof Status) {
    const table = new LuaTable();
    table.set('ok', reply.text);
    return table;
  }
  return new LuaTable(reply.map(toLua));
}

export function errorTable(text: string): LuaTable {
  const table = new LuaTable();
  table.set('err', text);
  return table;
}

/** What a script returns, as a reply: numbers lose their fraction, a list ends before the first nil. */
export function fromLua(value: LuaValue): Reply {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'boolean') return value ? 1 : null;
  if (!(value instanceof LuaTable)) return null;
  const [error, status] = [value.get('err'), value.get('ok')];
  if (typeof error === 'string') return new Refusal(error);
  if (typeof status === 'string') return new Status(status);
  const items: Reply[] = [];
  for (let at = 1; value.get(at) !== undefined; at += 1) items.push(fromLua(value.get(at)));
  return items;
}

/** The arguments of `redis.call`. @throws LuaError */
export function commandOf(args: readonly LuaValue[]): string[] {
  return args.map((arg) => {
    if (typeof arg === 'string') return arg;
    if (typeof arg === 'number') return formatG(arg, 17);
    throw new LuaError(errorTable('ERR Lua redis lib command arguments must be strings or integers'));
  });
}

/** What a script raised, as the error that its caller gets. */
export function refusalOf(error: LuaError): Refusal {
  const { value } = error;
  const text = value instanceof LuaTable ? value.get('err') : value;
  return new Refusal(typeof text === 'string' ? text : 'ERR unknown error');
}
