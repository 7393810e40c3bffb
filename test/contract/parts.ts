import type { ContractPart } from 'bedrock-testkit';

/** What an ensemble changes: how long a commit takes, and what a session survives. The rest is the code of one server. */
export const ENSEMBLE: ContractPart = ({ kind, group }) =>
  kind === 'mutex' && ['mutual exclusion', 'a holder that dies', 'renewal'].includes(group);

/** What a client library changes: requests, replies, messages and connections of each driver. The scripts are the same. */
export const CLIENT: ContractPart = ({ group, promise }) =>
  CLIENT_THEMES.has(group) || CLIENT_PROMISES.has(promise);

const CLIENT_THEMES: ReadonlySet<string> = new Set([
  'mutual exclusion',
  'order and waking',
  'verbs that may be repeated',
  'a holder that dies',
  'renewal',
  'closing',
  'verbs of read-write locks',
  'verbs of semaphores',
  'round trips',
]);

const CLIENT_PROMISES: ReadonlySet<string> = new Set([
  'are held all or none',
  'free a lock by force: at once, and its holder hears of it',
  'lists every lock with the prefix, whatever its characters, in pages',
  'let every caller pass, in every process, when the count is zero',
  'count once for an operation that is repeated',
  'never give more permits than there are, over processes',
  'take and give once for an operation that is repeated',
  'run a request once, and answer its repetitions in every process with the first result',
  'keep a key while its run lives, far longer than a lease',
]);
