/** `npm run lint:commits`: checks commit messages. See `--help`, and CONTRIBUTING.md for the rules. */
import { parseArgs } from 'node:util';
import { answerUsage } from './answer-usage.mjs';
import { commitsIn, NoHistoryError } from './commits/history.mjs';
import { MOST_LINES_WITHOUT_BODY, problemsOf, TYPES } from './commits/rules.mjs';

answerUsage(`npm run lint:commits -- [options]

Judges each commit: "type(scope): what changes", one reason, and a body past ${MOST_LINES_WITHOUT_BODY} changed lines
(moves, generated files and the lock file do not count). Exits with 1 when one fails, with 2 for wrong options.
Types: ${TYPES.join(', ')}.

  --from REV   the commits after this one (all since the lint began)
  --to REV     up to this one (HEAD)
  --help
`);

const { values } = parseArgs({
  options: { from: { type: 'string' }, to: { type: 'string', default: 'HEAD' } },
});
try {
  const commits = commitsIn({ from: values.from, to: values.to });
  const bad = commits.map((commit) => ({ ...commit, problems: problemsOf(commit) })).filter(isBad);
  for (const { hash, subject, problems } of bad)
    console.error(
      [`${hash.slice(0, 9)} ${subject}`, ...problems.map((problem) => `  ${problem}`)].join('\n'),
    );
  console.log(`${commits.length} commits, ${bad.length} with problems`);
  process.exitCode = bad.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof NoHistoryError)) throw error;
  const isAsked = values.from !== undefined || values.to !== 'HEAD';
  console.error(`${isAsked ? '' : 'NOT CHECKED: '}${error.message}`);
  process.exitCode = isAsked ? 2 : 0;
}

function isBad({ problems }) {
  return problems.length > 0;
}
