import { describe, expect, it } from '@jest/globals';
import type { StartedNode } from '../src/server/start-nodes.js';
import { withChaos } from '../src/chaos/chaos.report.js';
import { NodeChaos } from '../src/chaos/node-chaos.js';
import { isKept } from '../src/report/report.js';

const KEPT = { sections: [], checks: [{ isMet: true, text: 'kept' }], verdict: 'as it was' };
const STRIKE = { nodeId: 'node 1', atPurchases: 2_000, awayMs: 210 };
const noticed = { gone: 1, quarantined: 1, back: 1, lostLeases: 0 };

/** Nodes that record their kills and restarts. */
function nodesOf(count: number, restart = async (): Promise<void> => undefined) {
  const done: string[] = [];
  const nodes = Array.from({ length: count }, (_, i) => ({
    nodeId: `node ${i + 1}`,
    server: {
      kill: (signal: string) => void done.push(`${signal} ${i + 1}`),
      restart: () => (done.push(`restart ${i + 1}`), restart()),
    },
  }));
  return { done, nodes: nodes as unknown as readonly StartedNode[] };
}

describe('chaos', () => {
  it('kills the left-most node once, when a fifth is sold, and starts it again', async () => {
    const { done, nodes } = nodesOf(3);
    const chaos = new NodeChaos(nodes, 100);
    chaos.sold(19);
    expect(done).toEqual([]);
    chaos.sold(20);
    chaos.sold(21);
    expect(done).toEqual(['SIGKILL 1']);
    expect(await chaos.outage()).toMatchObject({ nodeId: 'node 1', atPurchases: 20 });
    expect(done).toEqual(['SIGKILL 1', 'restart 1']);
  });

  it('tells when nothing was killed, and when a node does not come back', async () => {
    await expect(new NodeChaos(nodesOf(3).nodes, 100).outage()).rejects.toThrow(
      'before a node could be killed',
    );
    const { nodes } = nodesOf(3, () => Promise.reject(new Error('the port is taken')));
    const chaos = new NodeChaos(nodes, 100);
    chaos.sold(50);
    await expect(chaos.outage()).rejects.toThrow('the port is taken');
  });

  it('is survived when every process has noticed the node go, and has waited before it counted on it', () => {
    const report = withChaos(KEPT, STRIKE, [{ nodes: noticed }, { nodes: noticed }]);
    expect(isKept(report)).toBe(true);
    expect(report.verdict).toBe('as it was');
  });

  it.each([
    ['did not notice', { ...noticed, gone: 0 }, '1 of 2 processes noticed the outage of node 1'],
    ['did not see it come back', { ...noticed, back: 0 }, '1 of 2 processes used it again'],
  ])('has proved nothing when a process %s', (_what, nodes, text) => {
    const report = withChaos(KEPT, STRIKE, [{ nodes: noticed }, { nodes }]);
    expect(isKept(report)).toBe(false);
    expect(report.checks.find(({ isMet }) => !isMet)!.text).toContain(text);
  });
});
