import luaparse from 'luaparse';
import { FunctionEmitter } from './emit-statement.js';
import { LIBRARY } from './lua-library.js';
import * as operators from './lua-operators.js';
import { LuaScope } from './lua-scope.js';
import { all, first, LuaTable, Several, type LuaFunction, type LuaValue } from './lua-values.js';

/** What a script is given by its server. */
export interface RedisApi {
  readonly call: LuaFunction;
  readonly pcall: LuaFunction;
  readonly error_reply: LuaFunction;
}

/** A script, ready to run. */
export type CompiledScript = (redis: RedisApi, keys: LuaTable, argv: LuaTable) => LuaValue | Several;

const RUNTIME = {
  ...operators,
  first,
  all,
  Several,
  LuaTable,
  withFields(table: LuaTable, fields: readonly (readonly [string, LuaValue])[]): LuaTable {
    for (const [name, value] of fields) table.set(name, value);
    return table;
  },
};

/**
 * Compiles a script of the Redis driver into JavaScript: the same text that a server gets, so that nothing has to be kept in
 * step by hand. It knows the part of Lua 5.1 that the scripts use.
 * @throws UnsupportedLuaError for anything else
 */
export function compileLua(source: string): CompiledScript {
  const { body } = luaparse.parse(source, {
    luaVersion: '5.1',
    encodingMode: 'pseudo-latin1',
    comments: false,
  });
  const scope = LuaScope.outermost();
  const [keys, argv] = [scope.declare('KEYS'), scope.declare('ARGV')];
  const used = new Map<string, string>();
  const lines = new FunctionEmitter(scope.inner(), used).body(body);
  const library = Array.from(used, ([name, own]) => `const ${own} = library[${JSON.stringify(name)}];\n`);
  const text = [
    `'use strict';\nconst { ${Object.keys(RUNTIME).join(', ')} } = runtime;\n`,
    ...library,
    `return (redis, ${keys}, ${argv}) => {\n${lines}};`,
  ].join('');
  // The scripts of this repository, and nothing that came from elsewhere.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const make = new Function('runtime', 'library', text) as (
    runtime: typeof RUNTIME,
    library: typeof LIBRARY,
  ) => CompiledScript;
  return make(RUNTIME, LIBRARY);
}
