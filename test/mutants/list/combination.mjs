/** The combination lock. */
import { CUT_OFF_NODES, LASTING_NODES, NODES } from '../worlds.mjs';

const FOLDER = 'backends/combination';
const LEASES = `${FOLDER}/combination-leases.ts`;
const BID = `${FOLDER}/bid.ts`;
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
    find: 'return bid.mismatch === undefined && bid.seals.length >= minNodes && tookMs <= attemptTimeoutMs;',
    replace:
      'const marked = this.house.members.filter(({ isAvailable }) => !isAvailable).length;\nreturn bid.mismatch === undefined && bid.seals.length + marked >= minNodes;',
    terms: { ...terms, fencing: false },
    seed: 1,
  },
  {
    name: 'quarantine-grants',
    breaks: 'a node that refuses grants after a restart counts as a grant',
    file: BID,
    find: 'else member.failed(lockError);',
    replace:
      'else { member.failed(lockError); if (lockError.retryInMs !== undefined) this.#granted({ member, token: 0 }); }',
    terms,
    seed: 1,
  },
  {
    name: 'silence-grants',
    breaks: 'a node that does not answer counts as a grant',
    file: BID,
    find: '(this.#silent ??= new Set()).add(member);',
    replace: '(this.#silent ??= new Set()).add(member);\nthis.#granted({ member, token: 0 });',
    terms,
    seed: 3,
  },
  {
    name: 'no-rollback',
    breaks: 'nothing is taken back after a refusal',
    file: LEASES,
    find: 'bid.rollBack();',
    replace: '',
    terms: LASTING_NODES,
    seed: 1,
  },
  {
    name: 'rollback-without-silent',
    breaks: 'nodes that did not answer are left out when all is taken back',
    file: BID,
    find: 'this.takeBackSilent();\n  }',
    replace: '}',
    terms: LASTING_NODES,
    seed: 2,
  },
  {
    name: 'late-grant-stays',
    breaks: 'a node that grants after the end of the try keeps the grant',
    file: BID,
    find: 'if (this.#isOver) this.takeBack(member);',
    replace: 'if (this.#isOver) return;',
    terms: LASTING_NODES,
    seed: 3,
  },
  {
    name: 'tries-never-stale',
    breaks: 'a node may grant long after the try is over',
    file: BID,
    find: 'tokens, notAfter };',
    replace: 'tokens, notAfter: this.clock.now() + 60_000 };',
    terms: { ...LASTING_NODES, faults: 60 },
    seed: 51,
  },
  {
    name: 'renewed-by-one',
    breaks: 'one node is enough to renew',
    file: `${FOLDER}/renewal.ts`,
    find: "if (renewed >= this.minNodes) return 'renewed';",
    replace: "if (renewed >= 1) return 'renewed';",
    terms: CUT_OFF_NODES,
    seed: 33,
  },
  {
    name: 'renewal-ignores-results',
    breaks: 'a renewal is confirmed whatever the nodes say',
    file: `${FOLDER}/renewal.ts`,
    find: "return bid.seals.length < this.minNodes ? 'lost' : 'unknown';",
    replace: "return 'renewed';",
    terms: CUT_OFF_NODES,
    seed: 3,
  },
  {
    name: 'tokens-not-written-back',
    breaks: 'the largest token is not written back',
    file: `${FOLDER}/tokens.ts`,
    find: 'token === first\n',
    replace: 'token <= first\n',
    terms: { ...NODES, coldStart: 'wait', fencing: true, loadMs: 6_000 },
    seed: 29,
  },
  {
    name: 'token-of-the-first-node',
    breaks: 'the token is that of the left-most node',
    file: `${FOLDER}/tokens.ts`,
    find: 'const first = Math.max(...bid.seals.map(({ token }) => token));',
    replace: 'const first = bid.seals[0]!.token;',
    terms: { ...NODES, coldStart: 'wait', fencing: true, loadMs: 6_000 },
    seed: 2,
  },
  {
    name: 'release-of-one-node',
    breaks: 'a release reaches one node alone',
    file: `${FOLDER}/release.ts`,
    find: 'const members = bid.seals.map(({ member }) => member).reverse();',
    replace: 'const members = bid.seals.map(({ member }) => member).slice(0, 1);',
    terms: LASTING_NODES,
    seed: 1,
  },
  {
    name: 'release-not-repeated',
    breaks: 'a node that did not answer a release is not asked again',
    file: `${FOLDER}/release.ts`,
    find: 'bid.takeBack(member, 0, keepMs, leaveQueue);',
    replace: '',
    terms: LASTING_NODES,
    seed: 1,
  },
];
