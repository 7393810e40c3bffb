/** Requirements of a commit message: a type, an optional scope, one reason, and a body if the change is large. */

/** Types of a subject, as Conventional Commits names them. */
export const TYPES = [
  'feat',
  'fix',
  'perf',
  'refactor',
  'test',
  'docs',
  'build',
  'ci',
  'chore',
  'style',
  'revert',
];
/** Longest subject, in characters: `git log --oneline` shows it on one line of a wide terminal. */
const LONGEST_SUBJECT = 100;
/** A change of more lines than this explains in its body why it is one commit. */
export const MOST_LINES_WITHOUT_BODY = 300;

const SUBJECT = /^([a-z]+)(?:\(([^()]*)\))?!?: (.+)$/;
const SCOPE = /^[a-z0-9][a-z0-9-]*$/;
/** Verbs that begin a second reason. Words that are often nouns, such as test or release, are excluded. */
const VERBS = [
  'add', 'allow', 'avoid', 'bring', 'build', 'clean', 'convert', 'correct', 'delete', 'disable', 'document', 'drop',
  'enable', 'expose', 'extract', 'fix', 'forbid', 'give', 'hide', 'ignore', 'improve', 'inline', 'introduce', 'keep',
  'let', 'make', 'mend', 'merge', 'move', 'prevent', 'refuse', 'reject', 'remove', 'rename', 'replace', 'restore',
  'rewrite', 'simplify', 'skip', 'split', 'stop', 'tidy', 'tighten', 'unify', 'update', 'upgrade', 'write',
]; // prettier-ignore
const SECOND_REASON = new RegExp(`;|, and | and also | and (?:${VERBS.join('|')}) `);

/**
 * @typedef {object} Commit
 * @property {string} hash
 * @property {string} subject
 * @property {string} body
 * @property {number} changedLines added and deleted, without moves and generated files
 */

/**
 * The problems of a commit, one line each.
 * @param {Commit} commit
 * @returns {string[]}
 */
export function problemsOf({ subject, body, changedLines }) {
  const problems = [...formProblems(subject), ...lengthProblems(subject)];
  if (SECOND_REASON.test(subject))
    problems.push('the subject joins two reasons: make two commits, or name what they have in common');
  if (body === '' && changedLines > MOST_LINES_WITHOUT_BODY)
    problems.push(`${changedLines} changed lines need a body that says why this is one commit`);
  return problems;
}

function formProblems(subject) {
  if (/^(fixup|squash|amend)! /.test(subject)) return ['squash it into the commit that it mends'];
  const [, type, scope, text] = SUBJECT.exec(subject) ?? [];
  if (type === undefined) return ['the subject is "type(scope): what changes", or "type: what changes"'];
  const problems = [];
  if (!TYPES.includes(type)) problems.push(`"${type}" is no type: ${TYPES.join(', ')}`);
  if (scope !== undefined && !SCOPE.test(scope))
    problems.push(`"${scope}" is no scope: one word in lower case, such as redis`);
  if (text.endsWith('.')) problems.push('the subject ends without a full stop');
  return problems;
}

function lengthProblems(subject) {
  if (subject.length <= LONGEST_SUBJECT) return [];
  return [`the subject has ${subject.length} characters, at most ${LONGEST_SUBJECT}`];
}
