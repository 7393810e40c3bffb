import { mutatedText } from './apply.mjs';
import { MutantCompiler } from './compiles.js';
import { MUTANTS } from './mutants.mjs';

it('has at least 30 mutants, each with a name of its own', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(30);
  expect(new Set(names).size).toBe(names.length);
});

it('knows the place of each mutant in the code', () => {
  expect(MUTANTS.flatMap((mutant) => misplaced(mutant))).toEqual([]);
});

it('breaks its rule with each mutant, and not the compiler', () => {
  const compiler = new MutantCompiler();
  expect(MUTANTS.flatMap((mutant) => compiler.faultsOf(mutant))).toEqual([]);
  const [mutant] = MUTANTS.filter(({ file }) => file.endsWith('.ts'));
  const stale = { ...mutant!, replace: `${mutant!.find}\nvoid gone;` };
  expect(compiler.faultsOf(stale)).toContainEqual(expect.stringContaining("'gone'"));
});

it('refuses a mutant whose place is gone, or is there twice', () => {
  const [mutant] = MUTANTS;
  expect(() => mutatedText({ ...mutant!, find: 'no such text' })).toThrow('0 places');
  expect(() => mutatedText({ ...mutant!, find: 'return' })).toThrow(/[1-9]\d* places/);
});

/** Why a mutant cannot be made, or nothing. */
function misplaced(mutant: (typeof MUTANTS)[number]): string[] {
  const { name, find, replace } = mutant;
  if (replace === find) return [`${name}: changes nothing`];
  try {
    return mutatedText(mutant).includes(replace) ? [] : [`${name}: is not in its own text`];
  } catch (error) {
    return [String(error)];
  }
}
