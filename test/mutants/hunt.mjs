/**
 * Runs seeds of the simulation in a folder until one breaks a promise: `hunt.mjs <folder> <job as JSON>`. Prints what was
 * found as JSON.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, text] = process.argv.slice(2);
const { seeds, terms } = JSON.parse(text);
const { runSeed } = await import(pathToFileURL(join(folder, 'test/simulation/seed-runner.js')).href);

// A stack costs more than all else of an error.
Error.stackTraceLimit = 0;
let tried = 0;
let caught;
for (const seed of seeds) {
  const { violations } = await runSeed(seed, undefined, undefined, terms);
  tried += 1;
  if (violations.length === 0) continue;
  caught = { seed, violation: violations[0], violations: violations.length };
  break;
}
process.stdout.write(JSON.stringify({ tried, ...caught }), () => process.exit());
