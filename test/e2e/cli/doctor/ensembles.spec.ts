import { describe, expect, it } from '@jest/globals';
import {
  startEtcd,
  startEtcdEnsemble,
  startZooKeeper,
  startZooKeeperEnsemble,
  type RunningServer,
} from 'bedrock-servers';
import { Etcd3 } from 'etcd3';
import { bedrock } from '../bedrock-command.js';
import { Findings, USUAL } from './findings.js';

const addressOf = ({ host, port }: RunningServer): string => `${host}:${port}`;

describe('bedrock doctor on etcd', () => {
  it('finds a version that may end leases, and rights that are missing', async () => {
    const server = await startEtcd();
    const client = new Etcd3({ hosts: server.url });
    try {
      const url = `etcd://${addressOf(server)}`;
      const found = await Findings.of(['--url', url]);
      const { version } = await client.maintenance.status();
      const isOld = /^3\.(4\.([0-9]|[12][0-9]|30)|5\.([0-9]|1[0-2]))$/.test(version);
      expect(found.problems).toEqual(
        isOld
          ? [
              `version: etcd ${version} may end leases that are in use when its leader changes: take 3.4.31, 3.5.13 or newer`,
            ]
          : [],
      );
      expect(found.notes).toEqual(['members: a single member: locks stop while it is down']);
      expect(found.passed('locks')).toHaveLength(1);
      await client.role('reader').create();
      await client
        .role('reader')
        .grant({ permission: 'Read', range: client.namespace('bedrock/').range({ prefix: '' }) });
      for (const name of ['root', 'ann']) await client.user(name).create('secret');
      await client.role('root').create();
      await client.user('root').addRole('root');
      await client.user('ann').addRole('reader');
      await client.auth.authEnable();
      const ann = await Findings.of(['--url', `etcd://ann:secret@${addressOf(server)}`, ...USUAL]);
      expect(ann.problems).toContainEqual(
        'rights: this user may not write keys below the prefix of the locks',
      );
      const refused = await bedrock(['doctor', '--url', `etcd://ann:pss-wrd@${addressOf(server)}`]);
      expect(refused.code).toBe(69);
      expect(`${refused.stdout}${refused.stderr}`).not.toContain('pss-wrd');
    } finally {
      client.close();
      await server.stop();
    }
  }, 60_000);

  it('finds an ensemble that has no space left', async () => {
    const server = await startEtcd({ args: ['--quota-backend-bytes', '2000000'] });
    const client = new Etcd3({ hosts: server.url });
    try {
      // The server counts what it has written to its disk, which it does ten times a second.
      const fill = async (): Promise<void> => {
        for (let i = 0; i < 100; i += 1) await client.put(`other/${i}`).value('x'.repeat(500_000));
      };
      await expect(fill()).rejects.toThrow(/space/);
      expect((await Findings.of(['--url', `etcd://${addressOf(server)}`, ...USUAL])).problems).toContainEqual(
        'memory: alarm NOSPACE: the ensemble refuses writes. Compact and defragment it, then disarm the alarm',
      );
    } finally {
      client.close();
      await server.stop();
    }
  }, 60_000);

  it('finds members that the URL does not name, or that are away', async () => {
    const ensemble = await startEtcdEnsemble();
    try {
      const [first, ...others] = ensemble.members.map(addressOf);
      const found = await Findings.of(['--url', `etcd://${first}`]);
      expect(found.problems).toContainEqual(expect.stringMatching(/^members: the URL names 1 of 3/));
      await ensemble.members[2]!.stop();
      const away = await Findings.of(['--url', `etcd://${[first, ...others].join(',')}`, ...USUAL]);
      expect(away.passed('members')).toEqual(['3 members: the ensemble survives the loss of 1']);
      expect(away.lines).toContainEqual(
        expect.objectContaining({ subject: others[1], check: 'reachable', state: 'problem' }),
      );
    } finally {
      await ensemble.stop();
    }
  }, 60_000);
});

describe('bedrock doctor on ZooKeeper', () => {
  it('finds sessions that are too short', async () => {
    const server = await startZooKeeper({ settings: ['maxSessionTimeout=6000'] });
    try {
      const url = `zookeeper://${addressOf(server)}`;
      const found = await Findings.of(['--url', url, ...USUAL]);
      expect(found.problems).toEqual([
        'session: maxSessionTimeout is 6000, which allows leases of 4000 ms: raise it to 39000, or lower maxLeaseMs (26000)',
        expect.stringMatching(/^locks: no lock can be taken: /),
      ]);
      const shorter = await Findings.of(['--url', url, '--max-lease', '4s']);
      expect([shorter.code, shorter.problems]).toEqual([0, []]);
      expect(shorter.passed('locks')).toEqual([
        'taken and released: mutex, fair mutex, reader, writer, semaphore',
      ]);
    } finally {
      await server.stop();
    }
  }, 60_000);

  it('finds a slow end of sessions, and servers that are not named', async () => {
    const ensemble = await startZooKeeperEnsemble({
      settings: ['minSessionTimeout=5000', 'maxSessionTimeout=60000'],
    });
    try {
      const [first, ...others] = ensemble.members.map(addressOf);
      const found = await Findings.of(['--url', `zookeeper://${first}`]);
      expect(found.problems).toEqual([expect.stringMatching(/^members: the URL names 1 of 3/)]);
      expect(found.notes).toEqual([expect.stringMatching(/^session: minSessionTimeout is 5000/)]);
      const all = ['--url', `zookeeper://${[first, ...others].join(',')}`];
      // Without its leader, the ensemble does not serve until it has another.
      const follower = (await Findings.of(all)).lines.find(({ text }) => text === 'it answers (follower)')!;
      const member = ensemble.members.find((one) => addressOf(one) === follower.subject)!;
      const isAway = expect.objectContaining({
        ...{ subject: follower.subject, check: 'reachable', state: 'problem' },
      });
      member.pause();
      // A client that begins with the frozen server must not decide for the ensemble.
      for (let time = 0; time < 4; time += 1) {
        const frozen = await Findings.of([...all, ...USUAL]);
        expect(frozen.lines).toContainEqual(isAway);
        expect(frozen.passed('reachable')).toContain('a majority answers');
      }
      member.resume();
      await member.stop();
      const away = await Findings.of(all);
      expect(away.lines).toContainEqual(isAway);
      expect(away.passed('locks')).toHaveLength(1);
    } finally {
      await ensemble.stop();
    }
  }, 90_000);

  it('ends with 69 where no server answers', async () => {
    const { code, stdout } = await bedrock(['doctor', '--url', 'zookeeper://127.0.0.1:1']);
    expect([code, stdout]).toEqual([
      69,
      expect.stringMatching(/problem +reachable +no session within 1000 ms/),
    ]);
  });
});
