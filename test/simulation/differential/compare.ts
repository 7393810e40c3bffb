import { Prng } from '../world/prng.js';
import { RandomCalls, type ScriptCall } from './random-calls.js';
import { RealServer } from './real-server.js';
import { SimulatedServer } from './simulated-server.js';

/** Concurrent calls in flight to the real server. */
const BATCH = 60;
/** A step of both clocks, ms; the longest is more than anything in a queue lives. */
const STEPS = [1, 5, 40, 300, 1_100, 12_000];
const CHANNELS = ['redisson_lock__channel:{am}', 'redisson_rwlock:{ar}', 'redisson_lock__channel:{c}dm'];

/** Lua also tells the place and the variable. */
const FAULT_OF_SCRIPT = /^"error (?:user_script:\d+: )?(attempt to \w+ \w+).*$/;

/** Every key with its type, its life and all that it holds. */
const ALL_DATA = `
local data = {}
for at, key in ipairs(redis.call('KEYS', '*')) do
  local type, held = redis.call('TYPE', key).ok, nil
  if type == 'string' then held = redis.call('GET', key)
  elseif type == 'hash' then held = redis.call('HGETALL', key)
  elseif type == 'list' then held = redis.call('LRANGE', key, '0', '-1')
  else held = redis.call('ZRANGE', key, '0', '-1', 'WITHSCORES') end
  data[at] = { key, type, redis.call('PTTL', key), held }
end
return data`;

/** What one side said and the other did not. */
export interface Difference {
  readonly call: string;
  readonly real: string;
  readonly simulated: string;
}

/** The call, at which part of a millisecond, and how far the clocks are ahead by then. */
interface Step {
  readonly ask: ScriptCall;
  readonly micros: number;
  readonly ahead: number;
}

/** The same random calls to a real server and to the simulated one, at the same instants by the server's clock. */
export class Comparison {
  readonly differences: Difference[] = [];
  calls = 0;
  readonly #prng: Prng;
  readonly #random: RandomCalls;
  readonly #simulated = new SimulatedServer();
  /** How far both clocks were set forward, ms. */
  #ahead = 0;
  #lastAt = 0;

  constructor(
    private readonly real: RealServer,
    seed: number,
  ) {
    this.#prng = new Prng(seed);
    this.#random = new RandomCalls(this.#prng.fork());
  }

  /** One batch; replies, messages and at last the data are compared. */
  async run(): Promise<void> {
    await this.#changeListeners();
    await this.#stepClocks();
    const steps = this.#draw();
    for (const [i, reply] of (await this.real.replies()).entries()) {
      if (reply === undefined) continue;
      const step = steps[i]!;
      const [at, real] = reply;
      this.#lastAt = at;
      this.#simulated.now = at + step.ahead + step.micros / 1_000;
      this.#judge(describe(step.ask), real, this.#simulated.ask(step.ask));
      this.calls += 1;
    }
    await this.real.heardAll();
    this.#judge('what was published', this.real.heard.splice(0), this.#simulated.heard.splice(0));
  }

  /** The data left on both, with the ends of the keys. */
  async compareData(): Promise<void> {
    const ask = { name: 'the data', source: ALL_DATA, keys: [], argv: [] };
    this.real.ask(ask, 0, this.#ahead);
    const [reply] = await this.real.replies();
    if (reply === undefined) return;
    this.#simulated.now = reply[0] + this.#ahead;
    const sorted = (data: unknown): string[] => (data as unknown[]).map((key) => JSON.stringify(key)).sort();
    this.#judge(ask.name, sorted(reply[1]), sorted(this.#simulated.ask(ask)));
  }

  #draw(): Step[] {
    return Array.from({ length: BATCH }, () => {
      // Eighths of a millisecond: parts of it that a double has exactly.
      const micros = this.#prng.whole(0, 7) * 125;
      const ask = this.#random.next((this.#lastAt || Date.now()) + this.#ahead);
      this.real.ask(ask, micros, this.#ahead);
      return { ask, micros, ahead: this.#ahead };
    });
  }

  async #stepClocks(): Promise<void> {
    if (this.#prng.chance(0.3)) return;
    const step = this.#prng.pick(STEPS);
    this.real.shorten(step);
    const [reply] = await this.real.replies();
    if (reply === undefined) return;
    this.#ahead += step;
    this.#simulated.now = reply[0] + this.#ahead;
    this.#simulated.shortened();
  }

  async #changeListeners(): Promise<void> {
    const channel = this.#prng.pick(CHANNELS);
    const does = this.#prng.chance(0.5);
    await this.real.listen(channel, does);
    this.#simulated.listen(channel, does);
  }

  #judge(call: string, real: unknown, simulated: unknown): void {
    const [a, b] = [real, simulated].map((one) => JSON.stringify(one).replace(FAULT_OF_SCRIPT, '$1')) as [
      string,
      string,
    ];
    if (a !== b) this.differences.push({ call, real: a, simulated: b });
  }
}

function describe({ name, keys, argv }: ScriptCall): string {
  return `${name} ${keys.join(' ')} / ${argv.join(' ')}`;
}
