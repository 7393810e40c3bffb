import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimOf, eventually, refusalOf } from 'bedrock-testkit';
import { Nodes } from './fixture.js';

/** The four sequence diagrams of the design of the combination lock: threads are processes here. */
const nodes = new Nodes();

beforeAll(() => nodes.start(3));
afterEach(() => nodes.clean());
afterAll(() => nodes.stop());

const RULES = { contention: 'sequential', nodeTimeoutMs: 1_000 } as const;

describe('the left-most weight', () => {
  it('gives all nodes to the claim that was first at the left-most, while others are refused there', async () => {
    const wayToB = await nodes.wayTo('b');
    const one = await nodes.backend({ ...RULES, through: { b: wayToB } });
    const two = await nodes.backend(RULES);
    wayToB.delay(300, 'requests');
    const first = claimOf(one, 'lock');
    const granted = one.leases.claim(first);
    await eventually('the first node', async () => (await nodes.holders('lock'))[0] !== undefined);
    const before = await nodes.scripts();
    const refusal = refusalOf(await two.leases.claim(claimOf(two, 'lock')));
    const after = await nodes.scripts();
    expect(refusal.holder).toMatchObject({ id: first.id, node: 'a' });
    // The others were not asked.
    expect(after.map((count, i) => count - before[i]!)).toEqual([1, 0, 0]);
    await expect(granted).resolves.toMatchObject({ kind: 'granted' });
    const late = refusalOf(await two.leases.claim(claimOf(two, 'lock')));
    expect(late.holder).toMatchObject({ id: first.id, node: 'a' });
    expect(new Set(await nodes.holders('lock')).size).toBe(1);
  });

  it('goes to the claim that is first at the next node when the left-most dies, and the former first has lost', async () => {
    const wayToB = await nodes.wayTo('b');
    const one = await nodes.backend({ ...RULES, through: { b: wayToB } });
    const two = await nodes.backend(RULES);
    wayToB.delay(500, 'requests');
    const lost = one.leases.claim(claimOf(one, 'lock'));
    await eventually('the first node', async () => (await nodes.holders('lock'))[0] !== undefined);
    nodes.crash('a');
    const second = claimOf(two, 'lock');
    await expect(two.leases.claim(second)).resolves.toMatchObject({ kind: 'granted' });
    expect(refusalOf(await lost).holder).toMatchObject({ id: second.id, node: 'b' });
    await expect(two.leases.renew([{ ...second, keepMs: 0 }])).resolves.toEqual(['renewed']);
  });

  it('skips a node that does not answer, marks it, and is granted by the others', async () => {
    const one = await nodes.backend({ ...RULES, nodeTimeoutMs: 100 });
    const two = await nodes.backend({ ...RULES, nodeTimeoutMs: 100 });
    nodes.server('b').pause();
    const first = claimOf(one, 'lock');
    await expect(one.leases.claim(first)).resolves.toMatchObject({ kind: 'granted' });
    expect(one.nodes!.views().map(({ id, isAvailable }) => [id, isAvailable])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
    const refusal = refusalOf(await two.leases.claim(claimOf(two, 'lock')));
    expect(refusal.holder).toMatchObject({ id: first.id, node: 'a' });
  });

  it('counts what was granted although a node has died since, when others see too few nodes', async () => {
    const wayToB = await nodes.wayTo('b');
    const one = await nodes.backend({ ...RULES, through: { b: wayToB } });
    const two = await nodes.backend(RULES);
    nodes.crash('c');
    await eventually('the death', () => nodes.observer('c').status !== 'ready');
    wayToB.delay(500, 'requests');
    const first = claimOf(one, 'lock');
    const granted = one.leases.claim(first);
    await eventually('the first node', async () => (await nodes.observer('a').hkeys('lock')).length === 1);
    nodes.crash('a');
    await expect(two.leases.claim(claimOf(two, 'lock'))).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/of 3 nodes granted, and 2 are needed \(a: .*; c: /) as unknown,
    });
    await expect(granted).resolves.toMatchObject({ kind: 'granted' });
  });
});
