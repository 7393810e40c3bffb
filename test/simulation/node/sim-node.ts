import type { SimConnection } from '../network/sim-connection.js';
import { EPOCH } from '../world/sim-process.js';
import type { EventHost } from '../world/event-queue.js';
import type { World } from '../world/world.js';
import type { Keyspace } from './keyspace.js';
import { MiniRedis } from './mini-redis.js';
import { Refusal, Status, type Reply } from './reply.js';

const LOADING = new Refusal('LOADING Redis is loading the dataset in memory');

/** What a server has after a crash. */
export type Remains = 'all' | 'nothing' | 'old';

/** A server with a clock of its own, reached over connections. It may stand still, crash, and lose what it has. */
export class SimNode implements EventHost {
  readonly runsCode = false;
  readonly isDead = false;
  stoppedUntil = 0;
  readonly connections = new Set<SimConnection>();
  readonly redis: MiniRedis;
  isDown = false;
  #loadingUntil = 0;
  #runs = 0;
  #offset = 0;
  #snapshot: Keyspace | undefined;

  constructor(
    readonly world: World,
    readonly name: string,
    /** Its ms per ms of the world. */
    private readonly rate: number,
    /** How often the system takes its processor away between two commands of a script, and for how long at most, ms. */
    private readonly interrupted: { readonly share: number; readonly longestMs: number },
  ) {
    const prng = world.prng.fork();
    this.redis = new MiniRedis(
      () => EPOCH + this.#offset + world.now * this.rate,
      {
        count: (channel) => this.#listeners(({ channels }) => channels.has(channel)).length,
        publish: (channel, message) => this.#publish(channel, message),
      },
      () =>
        this.interrupted.share > 0 && prng.chance(this.interrupted.share)
          ? prng.between(0, this.interrupted.longestMs)
          : 0,
    );
    this.#begin();
  }

  /** Something arrives here. A server that stands still looks at it later. */
  receive(at: number, run: () => void): void {
    this.world.at(at, run, this);
  }

  settled(): void {
    // It runs no code of its own.
  }

  serve(connection: SimConnection, [name, ...args]: readonly string[]): Reply {
    switch (name!.toLowerCase()) {
      case 'subscribe':
        return this.#subscribe(connection.channels, args, 'add');
      case 'unsubscribe':
        return this.#subscribe(connection.channels, args, 'delete');
      case 'psubscribe':
        return this.#subscribe(connection.patterns, args, 'add');
      case 'punsubscribe':
        return this.#subscribe(connection.patterns, args, 'delete');
      case 'hello':
        return new Status('OK');
      default:
        if (this.world.now < this.#loadingUntil) return LOADING;
        return this.#execute([name!, ...args]);
    }
  }

  #execute(command: readonly string[]): Reply {
    const reply = this.redis.execute(command);
    const { lateMs } = this.redis;
    if (lateMs > 0) this.stoppedUntil = Math.max(this.stoppedUntil, this.world.now + lateMs);
    return reply;
  }

  stop(ms: number): void {
    this.tell(() => `stands still for ${ms.toFixed(1)} ms`);
    this.stoppedUntil = Math.max(this.stoppedUntil, this.world.now + ms);
  }

  step(ms: number): void {
    this.tell(() => `its clock steps by ${ms.toFixed(1)} ms`);
    this.#offset += ms;
  }

  /** Keeps what a crash that leaves old data would leave. */
  save(): void {
    this.#snapshot = this.redis.db.copy();
  }

  flush(): void {
    this.tell(() => 'loses all data');
    this.redis.db.clear();
  }

  crash(downMs: number, remains: Remains): void {
    this.tell(() => `crashes for ${downMs.toFixed(1)} ms; ${remains} of its data stays`);
    this.isDown = true;
    const isSilent = this.world.prng.chance(0.3);
    for (const connection of [...this.connections]) connection.break(isSilent);
    for (const connection of [...this.connections]) connection.isOpenThere = false;
    this.connections.clear();
    this.world.after(downMs, () => this.#restart(remains));
  }

  tell(what: () => string): void {
    this.world.tell(this.name, what);
  }

  #restart(remains: Remains): void {
    this.tell(() => 'is back');
    this.isDown = false;
    if (remains === 'nothing') this.redis.db.clear();
    if (remains === 'old' && this.#snapshot !== undefined) this.redis.db = this.#snapshot.copy();
    if (this.world.prng.chance(0.5)) this.#loadingUntil = this.world.now + this.world.prng.between(1, 150);
    this.#begin();
  }

  #begin(): void {
    this.redis.scripts.forget();
    this.#runs += 1;
    this.redis.runId = `${this.name}run${this.#runs}`;
  }

  #subscribe(to: Set<string>, names: readonly string[], verb: 'add' | 'delete'): Reply {
    for (const name of names) to[verb](name);
    return names.length;
  }

  #publish(channel: string, message: string): number {
    const hearing = this.#listeners(
      ({ channels, patterns }) => channels.has(channel) || [...patterns].some((one) => matches(one, channel)),
    );
    for (const connection of hearing) connection.publish(channel, message);
    return hearing.length;
  }

  #listeners(does: (connection: SimConnection) => boolean): SimConnection[] {
    return [...this.connections].filter((connection) => connection.isOpenThere && does(connection));
  }
}

/** Patterns of Bedrock are a beginning and a star. */
function matches(pattern: string, channel: string): boolean {
  if (!pattern.endsWith('*')) return pattern === channel;
  return channel.startsWith(pattern.slice(0, -1).replaceAll('\\', ''));
}
