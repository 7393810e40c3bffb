import { compileSnippets } from './snippets.js';

describe('the pages about Nest', () => {
  it.each([
    ['docs/nest.md', 12],
    ['libs/nestjs/README.md', 1],
  ])('%s shows code that compiles', (page, count) => {
    expect(compileSnippets(page)).toEqual({ count, errors: [] });
  });
});
