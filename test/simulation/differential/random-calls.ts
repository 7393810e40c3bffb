import { scripts } from '../../../libs/lock/src/backends/redis/protocol/scripts.generated.js';
import { SHORT_MS } from './short.js';
import type { Prng } from '../world/prng.js';

/** One call of a script. */
export interface ScriptCall {
  readonly name: string;
  readonly source: string;
  readonly keys: readonly string[];
  readonly argv: readonly string[];
}

type ScriptName = keyof typeof scripts;

const NAMES = ['a', 'b', '{c}d'];
const PROCESSES = ['p1', 'p2', 'p3', 'java'];
const LEASES = [SHORT_MS, 80, 300, 2_000, 60_000];

const tagged = (name: string): string => (name.includes('{') ? name : `{${name}}`);
const ownTag = (name: string): string => (name.includes('{') ? `::${name}` : `:{${name}}`);

/** Calls that meet each other: few names, few processes, ids that return late, doubled or as another process's. */
export class RandomCalls {
  #claims = 0;
  #operations = 0;

  constructor(private readonly prng: Prng) {}

  /** @param now epoch ms of the server, as scripts read it */
  next(now: number): ScriptCall {
    const draw = this.prng.pick([
      this.#mutex, this.#mutex, this.#fair, this.#fair, this.#readWrite, this.#readWrite, this.#leaseSemaphore, this.#leaseSemaphore, this.#counter, this.#expirableSemaphore,
    ]); // prettier-ignore
    return draw.call(this, now);
  }

  #call(name: ScriptName, keys: readonly string[], ...argv: readonly (string | number)[]): ScriptCall {
    return { name, source: scripts[name].source, keys, argv: argv.map(String) };
  }

  #id(): string {
    if (this.prng.chance(0.4)) this.#claims += 1;
    return `${this.prng.pick(PROCESSES)}:${Math.max(0, this.#claims - this.prng.whole(0, 6))}`;
  }

  /** A kind of lock has names of its own, but a call may use another kind's. */
  #lock(kind: string): string {
    return this.prng.pick(NAMES) + (this.prng.chance(0.97) ? kind : this.prng.pick(['m', 'f', 'r']));
  }

  #notAfter(now: number): number {
    return this.prng.chance(0.05) ? now - this.prng.whole(-1, 20) : now + 1_000;
  }

  /** The keys of items behind the shared counter. */
  #items(kind: string, keysOf: (lock: string) => readonly string[], isOwn: boolean): string[][] {
    const count = this.prng.chance(0.7) ? 1 : this.prng.whole(2, 4);
    return Array.from({ length: count }, () => {
      const lock = this.#lock(kind);
      return [...keysOf(lock), ...(isOwn ? [`redisson_lock_token:${tagged(lock)}`] : [])];
    });
  }

  #claim(
    name: ScriptName,
    items: readonly string[][],
    now: number,
    wants: () => string | number,
    idOf: () => string = () => this.#id(),
  ): ScriptCall {
    const guard = this.prng.chance(0.3);
    const argv = items.flatMap(() => [
      idOf(), this.prng.pick(LEASES), this.#notAfter(now), wants(), this.prng.whole(0, 2),
    ]); // prettier-ignore
    if (guard) argv.push(this.prng.pick(['run1', 'run2']), 5, this.prng.whole(0, 1));
    argv.push(this.prng.whole(0, 1));
    return this.#call(name, ['bedrock_token', ...items.flat(), ...(guard ? ['bedrock_guard'] : [])], ...argv);
  }

  #withdraw(name: ScriptName, items: readonly string[][]): ScriptCall {
    const argv = items.flatMap(() => [
      this.#id(), this.prng.chance(0.8) ? 0 : this.prng.pick(LEASES), this.prng.whole(0, 1),
    ]); // prettier-ignore
    return this.#call(name, ['bedrock_token', ...items.flat()], ...argv);
  }

  /** How to revoke, and sometimes whose grant. */
  #revocation(): string[] {
    return [this.prng.pick(['now', 'atExpiry']), ...(this.prng.chance(0.4) ? [this.#id()] : [])];
  }

  #tokens(): number {
    return this.prng.pick([0, 1, 8, 100]);
  }

  #mutex(now: number): ScriptCall {
    const keysOf = (lock: string) => [lock, `bedrock_order${ownTag(lock)}`, `bedrock_asks${ownTag(lock)}`];
    const items = this.#items('m', keysOf, this.prng.chance(0.2));
    const locks = items.map(([lock]) => lock!);
    switch (this.prng.whole(0, 9)) {
      case 0:
        return this.#call('revoke', keysOf(locks[0]!), ...this.#revocation());
      case 1:
        return this.#call('inspect', [locks[0]!]);
      case 2:
        return this.#call('renewN', locks, ...locks.flatMap(() => [this.#id(), this.prng.pick(LEASES)]));
      case 3:
        return this.#call('annotateN', locks, ...locks.flatMap(() => [this.#id(), this.prng.whole(1, 4)]));
      case 4:
        return this.#claim('claimAllN', items, now, () => this.#tokens());
      case 5:
      case 6:
      case 7:
        return this.#withdraw('withdrawN', items);
      default:
        return this.#claim('claimN', items, now, () => this.#tokens());
    }
  }

  #fair(now: number): ScriptCall {
    const keysOf = (lock: string) => [
      lock, `redisson_lock_queue:${tagged(lock)}`, `redisson_lock_timeout:${tagged(lock)}`, `bedrock_fair${ownTag(lock)}`,
    ]; // prettier-ignore
    const items = this.#items('f', keysOf, this.prng.chance(0.2));
    const choice = this.prng.whole(0, 6);
    if (choice === 0) return this.#call('fairRevoke', keysOf(items[0]![0]!), ...this.#revocation());
    if (choice > 3) return this.#withdraw('fairWithdrawN', items);
    return this.#claim('fairClaimN', items, now, () => this.#tokens());
  }

  #readWrite(now: number): ScriptCall {
    const keysOf = (lock: string) => [lock, `bedrock_order${ownTag(lock)}`, `bedrock_asks${ownTag(lock)}`];
    const items = this.#items('r', keysOf, this.prng.chance(0.2));
    const bare = items.map((item) => item.slice(0, 3));
    const idOf = (): string => this.#id() + (this.prng.chance(0.4) ? ':write' : '');
    switch (this.prng.whole(0, 9)) {
      case 0:
        return this.#call('rwRevoke', keysOf(items[0]![0]!), ...this.#revocation());
      case 1:
        return this.#call('rwInspect', [items[0]![0]!]);
      case 2:
      case 3:
        return this.#call('rwRenewN', bare.flat(), ...bare.flatMap(() => [idOf(), this.prng.pick(LEASES)]));
      case 4:
        return this.#call(
          'rwAnnotateN',
          bare.map(([lock]) => lock!),
          ...bare.flatMap(() => [this.#id(), this.prng.whole(1, 4)]),
        );
      case 5:
      case 6:
        return this.#withdraw('rwWithdrawN', items);
      default:
        return this.#claim('rwClaimN', items, now, () => this.#tokens(), idOf);
    }
  }

  #leaseSemaphore(now: number): ScriptCall {
    const keysOf = (lock: string) =>
      ['', '_order', '_asks', '_ends'].map((part) => `bedrock_units${part}${ownTag(lock)}`);
    const items = this.#items('u', keysOf, false);
    switch (this.prng.whole(0, 8)) {
      case 0:
        return this.#call('leaseSemaphoreRevoke', items[0]!, ...this.#revocation());
      case 1:
        return this.#call('leaseSemaphoreInspect', items[0]!);
      case 2:
        return this.#call(
          'leaseSemaphoreRenewN',
          items.flat(),
          ...items.flatMap(() => [this.#id(), this.prng.pick(LEASES)]),
        );
      case 3:
      case 4:
      case 5:
        return this.#withdraw('leaseSemaphoreWithdrawN', items);
      default:
        return this.#claim(
          'leaseSemaphoreClaimN',
          items,
          now,
          () => `${this.prng.whole(1, 3)} ${this.prng.pick([3, 4])}`,
        );
    }
  }

  #answerKey(name: string): string {
    if (this.prng.chance(0.6)) this.#operations += 1;
    return `${tagged(name)}:bedrock_op:${Math.max(0, this.#operations - this.prng.whole(0, 3))}`;
  }

  #counter(now: number): ScriptCall {
    const name = this.prng.pick(['latch', 'permits', 'am']);
    const keys = [name, this.#answerKey(name)];
    const head = [this.#notAfter(now), this.prng.pick(LEASES)];
    const channel = `redisson_sc:${tagged(name)}`;
    switch (this.prng.whole(0, 6)) {
      case 0:
        return this.#call('counterCreate', keys, ...head, this.prng.whole(0, 9), channel, 1);
      case 1:
        return this.#call('latchDown', keys, ...head, this.prng.whole(1, 3), channel);
      case 2:
        return this.#call('latchDelete', keys, ...head, channel);
      case 3:
        return this.#call('countingSemaphoreAdd', keys, ...head, this.prng.whole(-3, 6), channel);
      case 4:
        return this.#call('countingSemaphoreDrain', keys, ...head);
      case 5:
        return this.#call('countingSemaphoreUndo', keys, ...head, channel, ...this.#wants());
      default:
        return this.#call('countingSemaphoreTake', keys, ...head, ...this.#wants());
    }
  }

  #wants(): number[] {
    return Array.from({ length: this.prng.whole(1, 3) }, () => this.prng.whole(1, 4));
  }

  #expirableSemaphore(now: number): ScriptCall {
    const name = 'expirable';
    const keys = [name, `${tagged(name)}:timeout`];
    const channel = `redisson_sc:${tagged(name)}`;
    const permit = (): string => this.prng.whole(0, 9).toString(16).padStart(2, 'f').repeat(4);
    const lease = (): number => this.prng.pick([-1, ...LEASES]);
    switch (this.prng.whole(0, 5)) {
      case 0:
        return this.#call(
          'counterCreate',
          [name, this.#answerKey(name)],
          this.#notAfter(now),
          SHORT_MS,
          5,
          channel,
          5,
        );
      case 1:
        return this.#call('expirableSemaphoreAvailable', keys, channel);
      case 2:
        return this.#call('expirableSemaphoreExtend', keys, this.#notAfter(now), channel, lease(), permit());
      case 3:
        return this.#call(
          'expirableSemaphoreRelease',
          [...keys, this.#answerKey(name)],
          this.#notAfter(now),
          SHORT_MS,
          channel,
          permit(),
          permit(),
        );
      default: {
        const ids = Array.from({ length: this.prng.whole(1, 3) }, permit);
        return this.#call(
          'expirableSemaphoreTake',
          [...keys, this.#answerKey(name)],
          this.#notAfter(now),
          channel,
          lease(),
          ids.length,
          ...ids,
        );
      }
    }
  }
}
