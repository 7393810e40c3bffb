import { performance } from 'node:perf_hooks';

/**
 * Prints a line for one check, with its time; the exit code becomes 1 if it fails.
 * @param {string} label
 * @param {() => unknown} work what it resolves with is printed behind the label, if that is a text
 * @returns {Promise<boolean>} whether it passed
 */
export async function check(label, work) {
  const startedAt = performance.now();
  let problem;
  let fact;
  try {
    fact = await work();
  } catch (error) {
    problem = error;
    process.exitCode = 1;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  const said = typeof fact === 'string' ? `, ${fact}` : '';
  console.log(`${problem ? 'FAIL' : 'ok  '} ${seconds} s  ${label}${said}`);
  if (problem) console.log(problem.message.replaceAll(/^/gm, '       '));
  return problem === undefined;
}
