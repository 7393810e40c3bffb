import { randomBytes } from 'node:crypto';
import { startCluster, type RedisCluster } from 'bedrock-servers';
import {
  parseRedirection,
  parseSlots,
  SlotMap,
} from '../../../../../libs/lock/src/backends/redis/configuration/slot-map.js';
import { slotOf, SLOTS, hashTagFor } from '../../../../../libs/lock/src/backends/redis/protocol/slot.js';

describe('the slot of a key', () => {
  let cluster: RedisCluster;
  beforeAll(async () => void (cluster = await startCluster({ masters: 3, replicas: 0 })));
  afterAll(() => cluster.stop());

  it('is what the server says, hash tags or not', async () => {
    const names = [
      '123456789', 'a', '{a}', '{a}b', 'b{a}', '{a}{b}', '{}a', '{}{a}', '{{a}}', '{a', 'a}', '}a{', '{a}b}', 'a{b}c{d}',
      'größe', '{größe}x', '日本', '{日}本', '💾', 'redisson_lock__channel:{a}', 'bedrock_order::{a}b',
      'redisson_countdownlatch__channel__{{a}b}',
      ...Array.from({ length: 50 }, () => randomBytes(12).toString('base64')),
    ]; // prettier-ignore
    const told = await Promise.all(names.map((name) => cluster.slotOf(name)));
    expect(names.map(slotOf)).toEqual(told);
  });
});

describe('the tag of a slot', () => {
  it('is one for each, in that slot', () => {
    const tags = Array.from({ length: SLOTS }, (_, slot) => hashTagFor(slot));
    expect(tags.findIndex((tag, slot) => slotOf(`bedrock_token:{${tag}}`) !== slot)).toBe(-1);
    expect(new Set(tags).size).toBe(SLOTS);
    // Other processes, and later versions, have to find the same counters.
    expect([0, 1, 12_182, 16_383].map(hashTagFor)).toEqual(['3560', '22179', '43681', '39296']);
  });
});

describe('a map of the slots', () => {
  it('is read from CLUSTER SLOTS, also where servers do not know their own name', () => {
    const reply = [
      [0, 99, ['10.0.0.1', 6379, 'id', []], ['10.0.0.9', 6379, 'id']],
      [100, 199, ['', 7000, 'id']],
      [200, 299, [null, 7001, 'id']],
      [300, 399, ['?', 7002, 'id']],
      [400, 499, ['::1', 7003, 'id']],
    ];
    expect(parseSlots(reply, 'asked.local:6379')).toEqual([
      { first: 0, last: 99, master: '10.0.0.1:6379' },
      { first: 100, last: 199, master: 'asked.local:7000' },
      { first: 200, last: 299, master: 'asked.local:7001' },
      { first: 300, last: 399, master: 'asked.local:7002' },
      { first: 400, last: 499, master: '::1:7003' },
    ]);
    expect(parseSlots('nonsense', 'asked:1')).toEqual([]);
  });

  it('gives the addresses that natMap says', () => {
    const reply = [[0, 16_383, ['10.0.0.1', 6379, 'id']]];
    const outside = { host: 'redis.example.com', port: 31_000 };
    expect(parseSlots(reply, 'x:1', { '10.0.0.1:6379': outside })[0]!.master).toBe('redis.example.com:31000');
    expect(parseSlots(reply, 'x:1', () => outside)[0]!.master).toBe('redis.example.com:31000');
    expect(parseSlots(reply, 'x:1', () => null)[0]!.master).toBe('10.0.0.1:6379');
    expect(parseRedirection('MOVED 7 10.0.0.1:6379', 'x:1', () => outside)!.to).toBe(
      'redis.example.com:31000',
    );
  });

  it.each([
    ['MOVED 3999 127.0.0.1:6381', { kind: 'MOVED', slot: 3_999, to: '127.0.0.1:6381' }],
    ['ASK 1 redis-1.example.com:6381', { kind: 'ASK', slot: 1, to: 'redis-1.example.com:6381' }],
    ['MOVED 1 ::1:6381', { kind: 'MOVED', slot: 1, to: '::1:6381' }],
    ['MOVED 1 :6381', { kind: 'MOVED', slot: 1, to: 'asked.local:6381' }],
    ['MOVED 1 ?:6381', { kind: 'MOVED', slot: 1, to: 'asked.local:6381' }],
    ['MOVED', undefined],
    ['ERR MOVED 1 a:1', undefined],
  ])('follows %s', (text, redirection) => {
    expect(parseRedirection(text, 'asked.local:1')).toEqual(redirection);
  });

  it('knows its masters, a slot of each, and whether all slots are served', () => {
    const map = new SlotMap();
    expect([map.isComplete, map.masters.size, map.masterOf(5)]).toEqual([false, 0, undefined]);
    map.replace([
      { first: 0, last: 9_999, master: 'a:1' },
      { first: 10_000, last: 16_383, master: 'b:1' },
    ]);
    expect([map.isComplete, [...map.masters]]).toEqual([true, ['a:1', 'b:1']]);
    expect([map.slotAt('b:1'), map.slotAt('c:1')]).toEqual([10_000, undefined]);
    map.move(10_000, 'a:1');
    expect([map.masterOf(10_000), map.slotAt('b:1')]).toEqual(['a:1', 10_001]);
  });
});
