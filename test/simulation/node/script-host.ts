import { createHash } from 'node:crypto';
import { compileLua, type CompiledScript, type RedisApi } from '../lua/compile-lua.js';
import { first, LuaError, LuaTable, toText } from '../lua/lua-values.js';
import { commandOf, errorTable, fromLua, refusalOf, toLua } from '../lua/redis-values.js';
import { Refusal, type Reply } from './reply.js';

/** Executes one command for a script. */
export type Execute = (command: readonly string[]) => Reply;

const compiled = new Map<string, CompiledScript>();

function compiledOf(source: string): CompiledScript {
  let script = compiled.get(source);
  if (script === undefined) {
    script = compileLua(source);
    compiled.set(source, script);
  }
  return script;
}

const hashes = new Map<string, string>();

export function sha1Of(source: string): string {
  let hash = hashes.get(source);
  if (hash === undefined) {
    hash = createHash('sha1').update(source, 'latin1').digest('hex');
    hashes.set(source, hash);
  }
  return hash;
}

/** The scripts that a server knows, and what they may call. */
export class ScriptHost {
  readonly #sources = new Map<string, string>();
  readonly #redis: RedisApi;

  constructor(execute: Execute) {
    const run: RedisApi['call'] = (...args) => toLua(execute(commandOf(args)));
    this.#redis = {
      pcall(...args) {
        try {
          return run(...args);
        } catch (error) {
          if (error instanceof LuaError) return error.value;
          throw error;
        }
      },
      call(...args) {
        const reply = execute(commandOf(args));
        if (reply instanceof Refusal) throw new LuaError(errorTable(reply.text));
        return toLua(reply);
      },
      error_reply: (text) => errorTable(toText(text) ?? ''),
    };
  }

  load(source: string): string {
    const hash = sha1Of(source);
    this.#sources.set(hash, source);
    return hash;
  }

  sourceOf(hash: string): string | undefined {
    return this.#sources.get(hash.toLowerCase());
  }

  forget(): void {
    this.#sources.clear();
  }

  run(source: string, keys: string[], argv: string[]): Reply {
    try {
      return fromLua(first(compiledOf(source)(this.#redis, new LuaTable(keys), new LuaTable(argv))));
    } catch (error) {
      if (error instanceof LuaError) return refusalOf(error);
      throw error;
    }
  }
}
