import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from 'bedrock-servers';
import { Bedrock } from 'bedrock-lock';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { eventually } from 'bedrock-testkit';
import { fresh } from './fixture.js';

let ensemble: ZooKeeperEnsemble;
let bedrocks: Bedrock[];

beforeEach(async () => {
  ensemble = await startZooKeeperEnsemble();
  bedrocks = [1, 2].map(() => new Bedrock({ backend: zookeeper(ensemble.connect) }));
  await Promise.all(bedrocks.map((bedrock) => bedrock.ready()));
}, 60_000);

afterEach(async () => {
  for (const member of ensemble.members) member.resume();
  await Promise.all(bedrocks.map((bedrock) => bedrock.close({ graceMs: 0 })));
  await ensemble.stop();
}, 60_000);

it.each(['killed', 'frozen'])(
  'a leader that is %s takes no lock away, and lets no other caller have it',
  async (how) => {
    const [one, other] = bedrocks as [Bedrock, Bedrock];
    const resource = fresh();
    const lost: unknown[] = [];
    one.on('lease.lost', (event) => lost.push(event));
    const lease = await one.mutex(resource).acquire({ leaseMs: 16_000 });
    const waiting = other.mutex(resource).acquire({ waitMs: 40_000, leaseMs: 16_000 });
    let isReleased = false;
    const next = waiting.then((granted) => {
      expect(isReleased).toBe(true);
      return granted;
    });
    const leader = await ensemble.leader();
    if (how === 'killed') leader.kill('SIGKILL');
    else leader.pause();
    const { validUntil } = lease;
    await eventually('the lease is renewed', () => lease.validUntil > validUntil, { withinMs: 15_000 });
    expect(lease.isHeld).toBe(true);
    isReleased = true;
    await lease.release();
    expect((await next).token).toBeGreaterThan(lease.token);
    expect(lost).toEqual([]);
  },
  60_000,
);
