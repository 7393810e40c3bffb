/** The combination lock. */
import { CUT_OFF_NODES, LASTING_NODES, NODES } from '../worlds.mjs';

const FOLDER = 'backends/combination';
const LEASES = `${FOLDER}/combination-leases.ts`;
const CLAIM = `${FOLDER}/combined-claim.ts`;
const terms = { backend: 'combination' };
const onFive = { ...terms, nodes: 5 };

/** @type {readonly import('../mutants.mjs').Mutant[]} */
export const COMBINATION = [
  {
    name: 'two-of-five',
    breaks: 'two nodes of five are enough',
    file: `${FOLDER}/combination-options.ts`,
    find: 'const majority = Math.floor(nodes.length / 2) + 1;',
    replace: 'const majority = 2;',
    terms: onFive,
    seed: 3,
  },
  {
    name: 'one-node',
    breaks: 'one node is enough',
    file: `${FOLDER}/combination-options.ts`,
    find: 'const majority = Math.floor(nodes.length / 2) + 1;',
    replace: 'const majority = 1;',
    terms,
    seed: 3,
  },
  {
    name: 'marks-vote',
    breaks: 'a node that is not available counts as a grant',
    file: LEASES,
    find: 'combined.mismatch === undefined && combined.grants.length >= minNodes && tookMs <= attemptTimeoutMs',
    replace:
      'combined.mismatch === undefined && combined.grants.length + this.nodes.handles.filter(({ isAvailable }) => !isAvailable).length >= minNodes',
    terms: { ...terms, fencing: false },
    seed: 1,
  },
  {
    name: 'quarantine-grants',
    breaks: 'a node that refuses grants after a restart counts as a grant',
    file: CLAIM,
    find: 'else handle.recordFailure(lockError);',
    replace:
      'else { handle.recordFailure(lockError); if ((lockError as { retryInMs?: number }).retryInMs !== undefined) this.#onGranted({ handle, token: 0 }); }',
    terms,
    seed: 1,
  },
  {
    name: 'silence-grants',
    breaks: 'a node that does not reply counts as a grant',
    file: CLAIM,
    find: '(this.#unanswered ??= new Set()).add(handle);',
    replace: '(this.#unanswered ??= new Set()).add(handle);\nthis.#onGranted({ handle, token: 0 });',
    terms,
    seed: 3,
  },
  {
    name: 'no-rollback',
    breaks: 'no grant is withdrawn after a refusal',
    file: LEASES,
    find: 'combined.rollBack();',
    replace: '',
    terms: LASTING_NODES,
    seed: 1,
  },
  {
    name: 'rollback-without-silent',
    breaks: 'nodes without a reply are left out of the withdrawal',
    file: CLAIM,
    find: 'this.withdrawUnanswered();\n  }',
    replace: '}',
    terms: LASTING_NODES,
    seed: 2,
  },
  {
    name: 'late-grant-stays',
    breaks: 'a node that grants after the end of the attempt keeps the grant',
    file: CLAIM,
    find: 'if (this.#isOver) this.withdrawFrom(handle);',
    replace: 'if (this.#isOver) return;',
    terms: LASTING_NODES,
    seed: 3,
  },
  {
    name: 'tries-never-stale',
    breaks: 'a node may grant long after the attempt is over',
    file: CLAIM,
    find: 'tokens, notAfter };',
    replace: 'tokens, notAfter: this.clock.now() + 60_000 };',
    terms: { ...LASTING_NODES, faults: 60 },
    seed: 19,
  },
  {
    name: 'renewed-by-one',
    breaks: 'one node is enough to renew',
    file: `${FOLDER}/combined-renewal.ts`,
    find: "if (renewed >= this.minNodes) return 'renewed';",
    replace: "if (renewed >= 1) return 'renewed';",
    terms: CUT_OFF_NODES,
    seed: 33,
  },
  {
    name: 'renewal-ignores-results',
    breaks: 'a renewal is confirmed whatever the nodes say',
    file: `${FOLDER}/combined-renewal.ts`,
    find: "return combined.grants.length < this.minNodes ? 'lost' : 'unknown';",
    replace: "return 'renewed';",
    terms: CUT_OFF_NODES,
    seed: 17,
  },
  {
    name: 'tokens-not-written-back',
    breaks: 'the largest token is not written back',
    file: `${FOLDER}/raise-tokens.ts`,
    find: 'token === first\n',
    replace: 'token <= first\n',
    terms: { ...NODES, coldStart: 'wait', fencing: true, loadMs: 6_000 },
    seed: 13,
  },
  {
    name: 'token-of-the-first-node',
    breaks: 'the token is that of the left-most node',
    file: `${FOLDER}/raise-tokens.ts`,
    find: 'const first = Math.max(...combined.grants.map(({ token }) => token));',
    replace: 'const first = combined.grants[0]!.token;',
    terms: { ...NODES, coldStart: 'wait', fencing: true, loadMs: 6_000 },
    seed: 2,
  },
  {
    name: 'release-of-one-node',
    breaks: 'a release reaches only one node',
    file: `${FOLDER}/release-on-nodes.ts`,
    find: 'const handles = combined.grants.map(({ handle }) => handle).reverse();',
    replace: 'const handles = combined.grants.map(({ handle }) => handle).slice(0, 1);',
    terms: LASTING_NODES,
    seed: 1,
  },
  {
    name: 'release-not-repeated',
    breaks: 'a release without a reply is not repeated at that node',
    file: `${FOLDER}/release-on-nodes.ts`,
    find: 'combined.withdrawFrom(handle, 0, keepMs, leaveQueue);',
    replace: '',
    terms: LASTING_NODES,
    seed: 1,
  },
];
