import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf } from '../../../tools/commits/rules.mjs';

const AUTHOR = ['user.name=a', 'user.email=a@example.org', 'commit.gpgsign=false'].flatMap((one) => [
  '-c',
  one,
]);
const TOOL = join(import.meta.dirname, '../../../tools/lint-commits.mjs');

const problemsIn = (subject: string, { body = '', changedLines = 1 } = {}): string[] =>
  problemsOf({ hash: '', subject, body, changedLines });

describe('a commit message', () => {
  it.each([
    'fix(redis): wake the second reader when a writer leaves',
    'feat(nest)!: store the answer of @Idempotent() that goes out',
    'docs: what faults and a soak found on this code',
    'fix: keep passwords and keys out of errors, JSON and inspect',
    'refactor(session-queue): one class per verb',
  ])('may be "%s"', (subject) => {
    expect(problemsIn(subject)).toEqual([]);
  });

  it.each([
    ['without a type', 'wake the second reader', /^the subject is "type\(scope\)/],
    ['with a type of its own', 'redis: wake the second reader', /^"redis" is no type: feat, fix,/],
    ['with two scopes', 'fix(redis, nest): wake the second reader', /^"redis, nest" is no scope/],
    ['that ends with a full stop', 'fix: wake the second reader.', /full stop/],
    ['that is long', `fix: ${'wake '.repeat(20)}`, /^the subject has 105 characters, at most 100/],
    ['with a semicolon', 'fix: wake the second reader; no more polls', /two reasons/],
    ['with two clauses', 'fix: warn of missing hooks once, and not too soon', /two reasons/],
    ['with two verbs', 'fix: wake the second reader and remove the poll', /two reasons/],
    ['of a commit to squash', 'fixup! fix: wake the second reader', /^squash it/],
  ])('is refused %s', (_what, subject, problem) => {
    expect(problemsIn(subject)).toEqual([expect.stringMatching(problem)]);
  });

  it('needs a body past 300 changed lines', () => {
    const subject = 'refactor: one home for the times of a queue';
    expect(problemsIn(subject, { changedLines: 300 })).toEqual([]);
    expect(problemsIn(subject, { changedLines: 301 })).toEqual([expect.stringMatching(/^301 changed lines/)]);
    expect(problemsIn(subject, { changedLines: 301, body: 'Moves alone.' })).toEqual([]);
  });
});

describe('npm run lint:commits', () => {
  let folder: string;
  const git = (...args: string[]): string =>
    execFileSync('git', [...AUTHOR, ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const commit = (subject: string, file: string, text: string): void => {
    writeFileSync(join(folder, file), text);
    git('add', '.');
    git('commit', '-q', '-m', subject);
  };
  const lint = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, ...args], {
      cwd,
      encoding: 'utf8',
    });
    return { status, stdout: stdout.trim(), stderr };
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bedrock-commits-'));
    git('init', '-q');
    commit('whatever was before the lint; and more', 'a', 'a');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The lint begins with the commit that brings it. */
  const begin = (): void => {
    mkdirSync(join(folder, 'tools'));
    commit('chore(lint): judge commit messages', 'tools/lint-commits.mjs', '');
  };

  it('judges the commits since the one that brought it', () => {
    expect(lint(folder)).toMatchObject({ status: 0, stdout: '0 commits, 0 with problems' });
    begin();
    expect(lint(folder)).toMatchObject({ status: 0, stdout: '1 commits, 0 with problems' });
    commit('more', 'b', 'b');
    const { status, stdout, stderr } = lint(folder);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '2 commits, 1 with problems' });
    expect(stderr).toMatch(/^[0-9a-f]{9} more\n {2}the subject is/);
  });

  it('counts the lines that were written, and neither moves nor generated files', () => {
    begin();
    const lines = Array.from({ length: 301 }, (_, i) => `line ${i}\n`).join('');
    commit('chore: what is generated', 'package-lock.json', lines);
    commit('feat: what is written', 'c', lines.toUpperCase());
    git('mv', 'c', 'd');
    git('commit', '-q', '-m', 'refactor: what is moved');
    const { stderr } = lint(folder);
    expect(stderr).toMatch(/^\S+ feat: what is written\n {2}301 changed lines need a body[^\n]*\n$/);
  });

  it('judges a range, and refuses one that is not there', () => {
    commit('feat: good', 'b', 'b');
    expect(lint(folder, '--from', 'HEAD~1')).toMatchObject({
      status: 0,
      stdout: '1 commits, 0 with problems',
    });
    expect(lint(folder, '--to', 'HEAD~1', '--from', 'HEAD')).toMatchObject({ status: 0 });
    const { status, stderr } = lint(folder, '--from', 'nowhere');
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('nowhere') as unknown });
  });

  it('says that it checked nothing in a shallow clone or outside of a repository, and passes', () => {
    begin();
    const clone = join(folder, 'clone');
    git('clone', '-q', '--depth', '1', `file://${folder}`, clone);
    expect(lint(clone)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^NOT CHECKED: .*shallow/) as unknown,
    });
    rmSync(join(folder, '.git'), { recursive: true });
    expect(lint(folder)).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^NOT CHECKED: /) as unknown,
    });
  });
});
