import { filesOf } from '../../commands.mjs';
import { avoidedWords } from './english.js';
import { filesBelow, read } from './pages.js';

/** Words for which no better one is found may stay, but not so many that they become a style. */
const BOUND = 5;

/** Their text has the words as data. */
const EXAMPLES: ReadonlySet<string> = new Set(
  ['english.ts', 'english.spec.ts'].map((name) => `test/repository/docs/${name}`),
);

const LIBRARIES = ['libs/lock', 'libs/nestjs', 'libs/testkit', 'libs/cli'];
const FOLDERS = ['test', 'tools', 'bench', 'apps'];
const OTHER_CODE = filesOf(...FOLDERS).filter((path) =>
  /^(?:test|tools|bench\/src|apps\/[^/]+\/src)\/.*\.(?:ts|mjs|md)$/.test(path),
);
const PATHS = [
  ...LIBRARIES.flatMap((library) =>
    ['.ts', '.lua', '.sql', '.md'].flatMap((end) => filesBelow(`${library}/src`, end)),
  ),
  ...LIBRARIES.map((library) => `${library}/README.md`),
  ...filesBelow('docs', '.md'),
  ...OTHER_CODE,
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'observability/README.md'],
].filter((path) => !path.endsWith('.generated.ts') && !EXAMPLES.has(path));

describe('the English of comments and pages', () => {
  it(`has fewer than ${BOUND} words that a native writer avoids`, () => {
    expect(PATHS.length).toBeGreaterThan(1_000);
    expect(new Set(OTHER_CODE.map((path) => path.split('/')[0]))).toEqual(new Set(FOLDERS));
    const found = PATHS.flatMap((path) =>
      avoidedWords(path, read(path)).map(({ line, word }) => `${path}:${line}: ${word}`),
    );
    // The message lists every hit, not only the number.
    expect(found.length < BOUND ? [] : found).toEqual([]);
  });

  it('finds each of them in a bad text, with its line', () => {
    const bad = [
      '/**',
      ' * Whoever comes alone joins. It sends what',
      ' * is under way, and nobody is told.',
      ' * Who waits asks again: a dead-lock outlives the trip of who asked, over processes.',
      ' */',
      'const lock = 1; // The lock was not to be had.',
      '// Somebody waits, everybody asks, anybody may come, and those',
      '// who leave are told. The answers of who comes, by who asks, for who waits, to who holds,',
      '// from who leaves, than who stays, at who listens and with who writes belong into it.',
      '// It belongs into the queue. Locks outlive calls; one outlived two trips.',
      '// A fail-over mends what it cannot do; others mend it.',
    ].join('\n');
    expect(avoidedWords('bad.ts', bad)).toEqual([
      { line: 2, word: 'Whoever' },
      { line: 2, word: 'what is' },
      { line: 3, word: 'nobody' },
      { line: 3, word: 'is told' },
      { line: 3, word: 'under way' },
      { line: 4, word: 'Who' },
      { line: 4, word: 'of who' },
      { line: 4, word: 'over processes' },
      { line: 4, word: 'outlives' },
      { line: 4, word: 'trip' },
      { line: 4, word: 'dead-lock' },
      { line: 6, word: 'not to be had' },
      { line: 7, word: 'Somebody' },
      { line: 7, word: 'everybody' },
      { line: 7, word: 'anybody' },
      { line: 7, word: 'those who' },
      { line: 8, word: 'of who' },
      { line: 8, word: 'by who' },
      { line: 8, word: 'for who' },
      { line: 8, word: 'to who' },
      { line: 8, word: 'are told' },
      { line: 9, word: 'from who' },
      { line: 9, word: 'than who' },
      { line: 9, word: 'at who' },
      { line: 9, word: 'with who' },
      { line: 9, word: 'belong into' },
      { line: 10, word: 'belongs into' },
      { line: 10, word: 'outlive' },
      { line: 10, word: 'outlived' },
      { line: 10, word: 'trips' },
      { line: 11, word: 'fail-over' },
      { line: 11, word: 'mends' },
      { line: 11, word: 'what it cannot do' },
      { line: 11, word: 'mend' },
    ]);
  });

  it.each([
    ['of a page', 'Who waits asks again.', 1],
    ['of a paragraph', '# Waiting\n\nWho waits asks again.', 3],
    ['of a sentence', 'It ends. Who waits asks again.', 1],
    ['of a part after a semicolon', 'It ends; Who waits asks again.', 1],
    ['of a part after a colon', 'It ends: Who waits asks again.', 1],
  ])('finds "Who" at the start %s', (_, text, line) => {
    expect(avoidedWords('a.md', text)).toEqual([{ line, word: 'Who' }]);
  });

  it.each([
    ['code', 'a.ts', "const text = 'nobody // nobody';\nconst pattern = /\\/\\/ nobody/;"],
    ['a relative clause', 'a.ts', '// The caller who holds the lock releases it.'],
    ['a question', 'a.md', 'Who holds the lock? What is a lease?'],
    ['a round trip', 'a.ts', '/** Costs two round trips,\n * or one round\n * trip. */'],
    ['code of Lua', 'a.lua', "local who = '-- nobody'"],
    ['code of a page', 'a.md', 'The `nobody` user.\n\n```ts\n// somebody\n```\n'],
    ['the target of a link', 'a.md', 'The [page](nobody.md).'],
  ])('leaves %s alone', (_, path, text) => {
    expect(avoidedWords(path, text)).toEqual([]);
  });

  it.each([
    ['a comment behind code', 'a.ts', 'run(); // tells nobody'],
    ['a comment before a bracket', 'a.ts', 'function run() {\n  // tells nobody\n}'],
    ['a comment of a program', 'a.mjs', "const who = '// nobody'; // tells nobody"],
    ['a comment of Lua', 'a.lua', "local who = 'nobody' -- tells nobody"],
    ['a page', 'a.md', 'Tells\nnobody.'],
  ])('reads %s', (_, path, text) => {
    expect(avoidedWords(path, text).map(({ word }) => word)).toEqual(['nobody']);
  });
});
