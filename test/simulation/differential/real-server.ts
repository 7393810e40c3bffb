import { createHash } from 'node:crypto';
import { Redis, type ChainableCommander } from 'ioredis';
import { latin } from './latin.js';
import type { ScriptCall } from './random-calls.js';
import { SHORT_MS } from './short.js';

/** Tells whether the server froze its clock before the millisecond that TIME gives: such a call is not made. */
const EDGE_KEY = 'edge';

/**
 * A server before Redis 7.2 removes a key whose end passes while the script runs: it stood still for longer than the key
 * lives. Such a key is kept to the end of the script, without an end, which is in `late` meanwhile. An end that is set in its
 * own millisecond removes the key at once, where any other key lives on to the next one: the script ends after it.
 */
const ENDS = `
local late = {}
local function endAt(key, ends)
  late[key] = nil
  local dump = server.call('DUMP', key)
  local isSet = server.call('PEXPIREAT', key, ends)
  if isSet == 1 and tonumber(ends) > snapshot and server.call('EXISTS', key) == 0 then
    server.call('RESTORE', key, '0', dump)
    late[key] = ends
  end
  return isSet
end
local function call(command, key, ...)
  if command == 'SET' or command == 'PERSIST' then late[key] = nil end
  local reply = server.call(command, key, ...)
  for kept in pairs(late) do
    if server.call('EXISTS', kept) == 0 then late[kept] = nil end
  end
  return reply
end
local function outlast(ends)
  repeat local time = server.call('TIME') until time[1] * 1000 + math.floor(time[2] / 1000) > ends
end`;

/**
 * Puts a script between a beginning and an end. The whole of it happens at one instant, that at which keys expire: a server
 * before Redis 7.2 reads its clock anew for each PTTL and PEXPIRE. What it gives is that instant, and the reply; or nothing,
 * where the instant is in doubt, and nothing was done.
 */
function timed(source: string): string {
  return [
    'local ahead, micros, server = tonumber(table.remove(ARGV)), table.remove(ARGV), redis',
    "local time = redis.call('TIME')",
    'local snapshot = time[1] * 1000 + math.floor(time[2] / 1000)',
    `redis.call('SET', '${EDGE_KEY}', '', 'PXAT', string.format('%.0f', snapshot - 1))`,
    `if redis.call('EXISTS', '${EDGE_KEY}') == 1 then redis.call('DEL', '${EDGE_KEY}') return {} end`,
    "local function at(ms) return string.format('%.0f', snapshot + ms) end",
    ENDS,
    'local redis = { pcall = server.pcall, error_reply = server.error_reply }',
    'function redis.call(command, ...)',
    'local key, value, option, ms = ...',
    "if command == 'TIME' then return { string.format('%.0f', math.floor((snapshot + ahead) / 1000)),",
    "string.format('%.0f', (snapshot + ahead) % 1000 * 1000 + micros) } end",
    "if command == 'PEXPIREAT' then return endAt(key, string.format('%.0f', value - ahead)) end",
    "if command == 'PEXPIRE' then return endAt(key, at(value)) end",
    "if option == 'PX' then return call('SET', key, value, 'PXAT', at(ms)) end",
    "if command ~= 'PTTL' then return call(command, ...) end",
    "local ends = tonumber(late[key]) or server.call('PEXPIRETIME', key)",
    'return ends < 0 and ends or math.max(0, ends - snapshot)',
    'end',
    `local function script()\n${source}\nend`,
    'local isDone, reply = pcall(script)',
    "if type(reply) == 'table' and reply.err then reply = 'error ' .. reply.err",
    "elseif not isDone then reply = 'error ' .. tostring(reply) end",
    "for key, ends in pairs(late) do server.call('PEXPIREAT', key, ends) outlast(tonumber(ends)) end",
    'return { snapshot, reply }',
  ].join('\n');
}

/** Takes time from every key that has an end. */
const SHORTEN = timed(`
for _, key in ipairs(redis.call('KEYS', '*')) do
  local rest = redis.call('PTTL', key)
  if rest >= 0 and rest - ARGV[1] < ${SHORT_MS} then redis.call('DEL', key)
  elseif rest >= 0 then redis.call('PEXPIRE', key, rest - ARGV[1]) end
end
return 1`);

/** A real server, asked in pipelines. */
export class RealServer {
  readonly #client: Redis;
  readonly #ear: Redis;
  #pipeline: ChainableCommander;
  readonly heard: string[] = [];
  readonly #wrapped = new Map<string, string>();
  /** Of what the server has seen already. */
  readonly #hashes = new Map<string, string>();

  constructor(port: number) {
    this.#client = new Redis(port);
    this.#ear = new Redis(port);
    this.#pipeline = this.#client.pipeline();
  }

  async open(): Promise<void> {
    this.#ear.on('pmessage', (_pattern, channel: string, message: string) =>
      this.heard.push(`${channel} ${message}`),
    );
    await this.#ear.psubscribe('*');
  }

  close(): void {
    this.#client.disconnect();
    this.#ear.disconnect();
  }

  /** @param ahead of the clock by which keys expire, ms */
  ask({ source, keys, argv }: ScriptCall, micros: number, ahead: number): void {
    this.#run(this.#timed(source), keys, [...argv, String(micros), String(ahead)]);
  }

  shorten(ms: number): void {
    this.#run(SHORTEN, [], [String(ms), '0', '0']);
  }

  /** What was asked since, each with the instant of its execution, epoch ms; undefined for what was not done. */
  async replies(): Promise<readonly (readonly [at: number, reply: unknown] | undefined)[]> {
    const results = await this.#pipeline.exec();
    this.#pipeline = this.#client.pipeline();
    return results!.map(([error, reply]) => {
      if (error) throw error;
      const [at, answer = null] = latin(reply) as [number?, unknown?];
      return at === undefined ? undefined : [at, answer];
    });
  }

  /** Another client subscribes to a channel, or unsubscribes. */
  async listen(channel: string, does: boolean): Promise<void> {
    await (does ? this.#ear.subscribe(channel) : this.#ear.unsubscribe(channel));
  }

  /** Resolves when all that was published so far has been heard. */
  async heardAll(): Promise<void> {
    const end = new Promise((resolve) => this.#ear.once('message', resolve));
    await this.#ear.subscribe('end');
    await this.#client.publish('end', '');
    await end;
    await this.#ear.unsubscribe('end');
    const rest = this.heard.filter((one) => !one.startsWith('end '));
    this.heard.splice(0, Infinity, ...rest);
  }

  #timed(source: string): string {
    let wrapped = this.#wrapped.get(source);
    if (wrapped === undefined) this.#wrapped.set(source, (wrapped = timed(source)));
    return wrapped;
  }

  #run(source: string, keys: readonly string[], argv: readonly string[]): void {
    const known = this.#hashes.get(source);
    if (known === undefined) {
      this.#hashes.set(source, createHash('sha1').update(source).digest('hex'));
      this.#pipeline.callBuffer('EVAL', source, String(keys.length), ...keys, ...argv);
    } else this.#pipeline.callBuffer('EVALSHA', known, String(keys.length), ...keys, ...argv);
  }
}
