/** The backends of processes under faults. Plain JavaScript, since the contending processes load it too. */
import { connect } from '../connect.mjs';

const HOUR_MS = 3_600_000;
/** What the wall clock is off by, from one signal to the next. */
const STEPS_MS = [HOUR_MS, -HOUR_MS, 0];

/**
 * @param {'redis' | 'zookeeper' | 'etcd' | 'mysql' | 'postgres'} engine
 * @param {object} options of its backend
 * @param {number} [overstated] how often the lease that a holder believes in contains the one that is asked for: unsafe above 1
 * @returns {Promise<import('bedrock-lock').Backend>}
 */
export async function backendOf(engine, options, overstated = 1) {
  const { [engine]: make } = await import(`bedrock-lock/${engine}`);
  stepWhenTold();
  const backend = make(options);
  await connect(backend);
  return overstated === 1 ? backend : believingIn(backend, overstated);
}

/** SIGUSR2 steps the wall clock of this process: an hour ahead, two back, and to the truth. */
function stepWhenTold() {
  const { now } = Date;
  let steps = 0;
  let offMs = 0;
  Date.now = () => now() + offMs;
  process.on('SIGUSR2', () => {
    offMs = STEPS_MS[steps % STEPS_MS.length];
    steps += 1;
  });
}

function believingIn(backend, times) {
  const shorter = (asked) => ({ ...asked, leaseMs: Math.ceil(asked.leaseMs / times) });
  const { leases } = backend;
  const unsafe = changed(leases, {
    claim: (claim) => leases.claim(shorter(claim)),
    renew: (held) => leases.renew(held.map(shorter)),
  });
  return changed(backend, { leases: unsafe });
}

/** The same with some members replaced; methods still run on the original, which has private fields. */
function changed(original, members) {
  return new Proxy(original, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return members[name];
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
