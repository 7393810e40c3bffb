import type { Contender } from '../contender/contender.js';
import { withContenders } from '../contender/run-contenders.js';
import { percentile } from '../figures/statistics.js';
import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { RelayOrder, RelayReply, RelayWord } from '../roles/relay.js';
import type { Scenario } from './scenario.js';
import { assignmentOf, POLL_MS } from './assignment.js';

const HAND_OVERS = 100;
const HOLD_MS = 4;

export const s5: Scenario = {
  name: 'S5',
  title: 'Hand-over between two processes: from just before one releases until the other holds the lock',
  short: 'hand-over: time',
  libraries: ['raw', 'bedrock', 'bedrock-fair', ...PEERS, 'redisson'],
  rounds: 2,
  compared: 'p50Ms',
  better: 'less',
  worst: ['overlaps'],
  relative: { figure: 'ofMutex', to: 'bedrock' },
  async turn(library, servers) {
    const order: RelayOrder = { key: servers.freshKey(), warmUpCycles: 1_000 };
    const assignment = assignmentOf('relay', library, servers, order);
    return withContenders<null, Record<string, number>>([assignment, assignment], async (runners) => {
      await Promise.all(runners.map((runner) => runner.receive()));
      for (const runner of runners) runner.send('go');
      const times = await passToAndFro(runners as [Contender<null>, Contender<null>]);
      for (const runner of runners) tell(runner, { do: 'stop' });
      return {
        p50Ms: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
        // Granted before the other process had begun its release.
        overlaps: times.filter((ms) => ms < 0).length,
      };
    });
  },
  columns: [
    { figure: 'p50Ms', head: 'p50, ms', show: decimals(2) },
    { figure: 'p99Ms', head: 'p99, ms', show: decimals(2) },
    { figure: 'overlaps', head: 'overlaps', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'ratioToRaw', atMost: 0.12 },
    // As fast as the plain mutex, apart from the noise of two medians.
    { library: 'bedrock-fair', figure: 'ofMutex', atMost: 1.1 },
  ],
};

/**
 * Each process in turn holds while the other waits; the hold ends at a random phase of a poll. The first rounds only
 * warm up.
 */
async function passToAndFro([one, other]: [Contender<null>, Contender<null>]): Promise<number[]> {
  const times: number[] = [];
  let [holder, waiter] = [one, other];
  tell(holder, { do: 'take' });
  await reply(holder, 'asking');
  await reply(holder, 'granted');
  const warmUp = 150;
  for (let i = -warmUp; i < HAND_OVERS; i++) {
    tell(waiter, { do: 'take' });
    await reply(waiter, 'asking');
    tell(holder, { do: 'pass', afterMs: i < 0 ? 1 : HOLD_MS + POLL_MS * Math.random() });
    const [passed, granted] = await Promise.all([reply(holder, 'passed'), reply(waiter, 'granted')]);
    if (i >= 0) times.push(granted - passed);
    [holder, waiter] = [waiter, holder];
  }
  return times;
}

function tell(runner: Contender<null>, word: RelayWord): void {
  runner.send(word);
}

async function reply(runner: Contender<null>, expected: RelayReply['is']): Promise<number> {
  const word = (await runner.receive()) as RelayReply;
  if (word.is !== expected) throw new Error(`expected "${expected}", got "${word.is}"`);
  return word.is === 'asking' ? NaN : word.at;
}
