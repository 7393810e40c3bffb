import { injectFault } from '../faults/faults.js';
import { putToSleep } from '../faults/naps.js';
import { checkWorld, type WorldResult } from '../checks/check-world.js';
import { SimClient } from '../load/sim-client.js';
import { Task } from '../load/task.js';
import { Prng } from './prng.js';
import type { Scenario } from './scenario.js';
import { SimSystem } from './sim-system.js';
import { World, type Trace } from './world.js';

/** A holder may need so long to come to its end, and a waiter to be served or dismissed, ms. */
const SETTLE_MS = 8_000;
/** A close takes a few time-outs at most; an abandoned queue disappears by itself 10 s after its last sign. */
const CLOSING_MS = 12_000;

/** One world from beginning to end. */
class Simulation {
  readonly system: SimSystem;
  readonly #clients: SimClient[] = [];
  /** How many processes each machine has had: a name is never used again, also where two faults hit one process. */
  readonly #lives = new Map<number, number>();

  constructor(
    readonly world: World,
    overrides: Partial<Scenario>,
  ) {
    this.system = new SimSystem(world, overrides);
  }

  async run(): Promise<WorldResult> {
    const { world, system } = this;
    const { scenario } = system;
    world.tell('world', () => JSON.stringify(scenario));
    for (let machine = 1; machine <= scenario.processes; machine += 1) this.#start(machine);
    for (let n = 0; n < scenario.faults; n += 1)
      world.at(system.prng.between(50, scenario.loadMs), () => this.#fault());
    this.#planNaps(new Prng(world.seed));
    await world.run(scenario.loadMs);
    world.tell('world', () => 'the load ends, and so do the faults');
    const lastNapMs = scenario.naps > 0 ? scenario.longestNapMs : 0;
    await world.run(scenario.loadMs + lastNapMs + SETTLE_MS);
    const idle = this.#living.map(({ process, bedrock, busy }) => ({
      name: process.name,
      busy,
      stats: bedrock.stats(),
    }));
    for (const client of this.#living) client.process.begin(() => void client.close(0));
    await world.run(world.now + CLOSING_MS);
    return checkWorld(system, this.#clients, idle);
  }

  get #living(): SimClient[] {
    return this.#clients.filter(({ process, isClosing }) => !process.isDead && !isClosing);
  }

  #start(machine: number): void {
    const { system } = this;
    const life = (this.#lives.get(machine) ?? 0) + 1;
    this.#lives.set(machine, life);
    const process = system.process(`p${machine}${life > 1 ? `.${life}` : ''}`);
    process.begin(() => {
      process.tell(() => 'begins');
      const client = new SimClient(system, process, machine);
      system.processStarted(client.backend.processId);
      this.#clients.push(client);
      for (let n = 0; n < system.scenario.tasks; n += 1) void new Task(client, system.scenario.loadMs).run();
    });
  }

  #planNaps(prng: Prng): void {
    const { world, system } = this;
    for (let n = 0; n < system.scenario.naps; n += 1) {
      world.at(prng.between(50, system.scenario.loadMs), () =>
        putToSleep({ system, prng, clients: this.#living }),
      );
    }
  }

  #fault(): void {
    const { system, world } = this;
    injectFault({
      system,
      prng: system.prng,
      // A sleeping process would get the same command again after it wakes.
      clients: this.#living.filter(({ process }) => !process.isAsleep),
      replace: ({ machine }) => {
        world.after(system.prng.between(5, 300), () => this.#start(machine));
      },
    });
  }
}

/** What became of a seed. */
export interface Outcome extends WorldResult {
  readonly seed: number;
  readonly events: number;
}

/**
 * Runs one seed. The same seed is the same world, to the last event.
 * @param overrides instead of those that the seed draws
 */
export async function simulate(
  seed: number,
  trace?: Trace,
  overrides: Partial<Scenario> = {},
): Promise<Outcome> {
  const world = new World(seed, trace);
  const result = await new Simulation(world, overrides).run();
  return { seed, events: world.events, ...result };
}
