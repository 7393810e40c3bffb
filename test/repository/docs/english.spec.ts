import { avoidedWords } from './english.js';
import { filesBelow, read } from './pages.js';

/** Words for which no better one is found may stay, but not so many that they become a style. */
const BOUND = 5;

const LIBRARIES = ['libs/lock', 'libs/nestjs', 'libs/testkit'];
const PATHS = [
  ...LIBRARIES.flatMap((library) =>
    ['.ts', '.lua', '.sql', '.md'].flatMap((end) => filesBelow(`${library}/src`, end)),
  ),
  ...LIBRARIES.map((library) => `${library}/README.md`),
  ...filesBelow('docs', '.md'),
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
].filter((path) => !path.endsWith('.generated.ts'));

describe('the English of comments and pages', () => {
  it(`has fewer than ${BOUND} words that a native writer avoids`, () => {
    expect(PATHS.length).toBeGreaterThan(300);
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
    ]);
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
    ['a comment of Lua', 'a.lua', "local who = 'nobody' -- tells nobody"],
    ['a page', 'a.md', 'Tells\nnobody.'],
  ])('reads %s', (_, path, text) => {
    expect(avoidedWords(path, text).map(({ word }) => word)).toEqual(['nobody']);
  });
});
