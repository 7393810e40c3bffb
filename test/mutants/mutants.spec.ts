import { mutatedText } from './apply.mjs';
import { MUTANTS } from './mutants.mjs';

it('has at least 30 mutants, each with a name of its own', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(30);
  expect(new Set(names).size).toBe(names.length);
});

it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  'knows its place in the code: %s',
  (_, mutant) => {
    expect(mutant.replace).not.toBe(mutant.find);
    expect(mutatedText(mutant)).toContain(mutant.replace);
  },
);

it('refuses a mutant whose place is gone, or is there twice', () => {
  const [mutant] = MUTANTS;
  expect(() => mutatedText({ ...mutant!, find: 'no such text' })).toThrow('0 places');
  expect(() => mutatedText({ ...mutant!, find: 'return' })).toThrow(/[1-9]\d* places/);
});
