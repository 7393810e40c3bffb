import type { Commands } from './command.js';
import { wholeOf } from './command.js';
import { HASH_COMMANDS } from './hash-commands.js';
import { KEY_COMMANDS } from './key-commands.js';
import { CommandError, Keyspace } from './keyspace.js';
import { LIST_COMMANDS } from './list-commands.js';
import { OK, Refusal, Status, type Reply } from './reply.js';
import { ScriptHost } from './script-host.js';
import { SORTED_SET_COMMANDS } from './sorted-set-commands.js';
import { STRING_COMMANDS } from './string-commands.js';

/** The clock of a server, in epoch ms with fractions; it is read once for each command, or script. */
export type ServerClock = () => number;

/** What passes between two commands of a script, ms; a server from Redis 7.2 on does not look. */
export type Interruptions = () => number;

/** Receivers of published messages. */
export interface Listeners {
  /** How many are subscribed to a channel by its name. */
  count(channel: string): number;
  publish(channel: string, message: string): number;
}

const ON_KEYS: Commands = {
  ...STRING_COMMANDS,
  ...HASH_COMMANDS,
  ...LIST_COMMANDS,
  ...SORTED_SET_COMMANDS,
  ...KEY_COMMANDS,
};

/**
 * What the driver uses of a Redis 7, in memory: keys that expire by the server's own clock, commands with the errors of the
 * real ones, and the real scripts. The differential test compares it with a real server.
 */
export class MiniRedis {
  readonly scripts: ScriptHost;
  db = new Keyspace();
  /** Names the run: another one after each restart. */
  runId = '';
  /** Time since the current script began, in ms. */
  #late = 0;
  /** The current script reads the clock as it stood at its beginning. */
  #micros = 0;

  constructor(
    private readonly clock: ServerClock,
    private readonly listeners: Listeners,
    private readonly interruptions: Interruptions = () => 0,
  ) {
    this.scripts = new ScriptHost((command) => {
      this.#late += this.interruptions();
      this.db.now = this.db.began + Math.floor(this.#late);
      return this.#executeNow(command);
    });
  }

  /** Executes what a client has sent; an error is a reply as well. */
  execute(command: readonly string[]): Reply {
    this.#readClock();
    const [name, ...args] = command as [string, ...string[]];
    switch (name.toUpperCase()) {
      case 'EVALSHA': {
        const source = this.scripts.sourceOf(args[0]!);
        if (source === undefined) return new Refusal('NOSCRIPT No matching script. Please use EVAL.');
        return this.#run(source, args);
      }
      case 'EVAL':
        this.scripts.load(args[0]!);
        return this.#run(args[0]!, args);
      case 'SCRIPT':
        return this.#script(args);
      case 'INFO':
        return `# Server\r\nredis_version:7.0.15\r\nrun_id:${this.runId}\r\nmaxmemory_policy:noeviction\r\n`;
      case 'PING':
        return new Status('PONG');
      case 'SELECT':
        return OK;
      default:
        return this.#executeNow(command);
    }
  }

  /** The keys that are there now, with their ends, epoch ms. */
  keysWithEnds(): (readonly [key: string, end: number])[] {
    this.#readClock();
    return this.db.keys().map((key) => [key, this.db.endOf(key)!]);
  }

  /** How long the last script was interrupted, ms. */
  get lateMs(): number {
    return this.#late;
  }

  #readClock(): void {
    this.#micros = Math.floor(this.clock() * 1_000);
    this.db.began = this.db.now = Math.floor(this.#micros / 1_000);
    this.#late = 0;
  }

  #run(source: string, [, count, ...rest]: readonly string[]): Reply {
    const keys = wholeOf(count);
    return this.scripts.run(source, rest.slice(0, keys), rest.slice(keys));
  }

  #script([verb, source]: readonly string[]): Reply {
    if (verb?.toUpperCase() === 'LOAD') return this.scripts.load(source!);
    if (verb?.toUpperCase() !== 'FLUSH')
      return new Refusal('ERR the simulation knows SCRIPT LOAD and FLUSH alone');
    this.scripts.forget();
    return OK;
  }

  #executeNow(command: readonly string[]): Reply {
    const name = command[0]!.toUpperCase();
    if (name === 'TIME') return [String(Math.floor(this.#micros / 1e6)), String(this.#micros % 1e6)];
    if (name === 'PUBLISH') return this.listeners.publish(command[1]!, command[2]!);
    if (name === 'PUBSUB')
      return command.slice(2).flatMap((channel) => [channel, this.listeners.count(channel)]);
    const known = ON_KEYS[name];
    if (known === undefined) throw new Error(`the simulated server does not know ${name}: add the command`);
    const [arity, run] = known;
    if (command.length - 1 < arity)
      return new Refusal(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
    try {
      return run(this.db, command.slice(1));
    } catch (error) {
      if (error instanceof CommandError) return error.refusal;
      throw error;
    }
  }
}
