import { readdirSync } from 'node:fs';
import { filesBelow, read } from './pages.js';

/** The packages that are published. */
const PACKAGES = readdirSync('libs').map((folder) => {
  const { name } = JSON.parse(read(`libs/${folder}/package.json`)) as { name: string };
  return name;
});
const STEP = /^'([\w-]+)': (?:patch|minor|major)$/;

/** What the tool of the changesets would not understand. */
function problemsIn(changeset: string): readonly string[] {
  const [, head, text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(changeset) ?? [];
  if (head === undefined) return ['no steps between two lines of ---'];
  const steps = head.split('\n').map((line) => ({ line, name: STEP.exec(line)?.[1] }));
  const unknown = steps.filter(({ name }) => name === undefined || !PACKAGES.includes(name));
  return [...unknown.map(({ line }) => `no step: ${line}`), ...(text.trim() === '' ? ['no text'] : [])];
}

describe('the changesets', () => {
  it('name packages that are published, a step for each, and what changes for users', () => {
    const files = filesBelow('.changeset', '.md').filter((file) => !file.endsWith('/README.md'));
    const problems = files.flatMap((file) => problemsIn(read(file)).map((problem) => `${file}: ${problem}`));
    expect(problems).toEqual([]);
  });

  it('are as their README shows one', () => {
    const [, example = ''] = /```md\n([\s\S]*?)```/.exec(read('.changeset/README.md')) ?? [];
    expect(problemsIn(example)).toEqual([]);
  });

  it.each([
    ['no head', 'A fix.\n', 'no steps'],
    ['a package that is not published', "---\n'shop': patch\n---\n\nA fix.\n", "no step: 'shop': patch"],
    ['a step of its own', "---\n'bedrock-lock': huge\n---\n\nA fix.\n", "no step: 'bedrock-lock': huge"],
    ['no text', "---\n'bedrock-lock': patch\n---\n", 'no text'],
  ])('are refused with %s', (_what, changeset, problem) => {
    expect(problemsIn(changeset)).toEqual([expect.stringContaining(problem)]);
  });

  it('give all published packages one version, and leave the changelog to CHANGELOG.md', () => {
    const { fixed, changelog } = JSON.parse(read('.changeset/config.json')) as {
      fixed: string[][];
      changelog: unknown;
    };
    expect(fixed.map((group) => group.toSorted())).toEqual([PACKAGES.toSorted()]);
    expect(changelog).toBe(false);
    expect(filesBelow('libs', '/CHANGELOG.md').filter((file) => !file.includes('node_modules'))).toEqual([]);
  });
});
