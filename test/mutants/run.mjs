/** What `npm run mutants` starts. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerUsage } from '../../tools/answer-usage.mjs';
import { mutate, original } from './apply.mjs';
import { MUTANTS } from './mutants.mjs';
import { tableOf, writeDocs } from './table.mjs';

const HUNT = join(import.meta.dirname, 'hunt.mjs');
const WORKERS = 2;
/** A mutant that hangs is not caught by a promise, ms. */
const PATIENCE_MS = 900_000;

answerUsage(`npm run mutants -- [options]

Breaks the library in many ways, one at a time, and runs worlds of the simulation until one notices. Exits with 1 when a
mutant is not noticed, with 2 for wrong options.

  --only NAMES   these mutants alone, with commas between them
  --limit N      worlds for each mutant (2000)
  --list         says what each mutant breaks, and runs none
  --write-docs   writes the table into the docs when all were noticed
  --help
`);

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    limit: { type: 'string', default: '2000' },
    list: { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',');
const chosen = MUTANTS.filter(({ name }) => names === undefined || names.includes(name));
if (names !== undefined && chosen.length < names.length) {
  console.error(`there is no such mutant: ${values.only}`);
  process.exit(2);
}

if (values.list) for (const { name, breaks } of chosen) console.log(`${name}: ${breaks}`);
else process.exitCode = await main();

async function main() {
  const beganAt = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'bedrock-mutants-'));
  try {
    const from = original(join(folder, 'original'));
    const found = await inTurn(chosen, (mutant) => huntFor(mutant, from, join(folder, mutant.name)));
    const blamed = await inTurn(uniqueWorlds(found), (job) => hunt(from, job));
    for (const { seed, violation } of blamed)
      if (seed !== undefined) console.log(`seed ${seed} fails without any mutant: ${violation}`);
    const survivors = found.filter(({ seed }) => seed === undefined);
    console.log(`\n${tableOf(found)}\n`);
    const seconds = ((Date.now() - beganAt) / 1_000).toFixed(0);
    console.log(`${found.length} mutants, ${survivors.length} not caught, ${seconds} s`);
    for (const { mutant } of survivors) console.log(`not caught: ${mutant.name}`);
    const isGood = survivors.length === 0 && blamed.every(({ seed }) => seed === undefined);
    if (isGood && values['write-docs']) await writeDocs(found);
    return isGood ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does so with all of them, two at a time; gives what came of it in their order. */
async function inTurn(items, act) {
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await act(items[at]);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return results;
}

async function huntFor(mutant, from, folder) {
  mutate(from, folder, mutant);
  try {
    const limit = Number(values.limit);
    const seeds = Array.from({ length: limit }, (_, i) => i + 1);
    const hinted = mutant.seed === undefined ? seeds : [mutant.seed, ...seeds];
    const found = await hunt(folder, { seeds: hinted, terms: mutant.terms });
    const what =
      found.seed === undefined ? 'NOT CAUGHT' : `seed ${found.seed}: ${found.violation.slice(0, 140)}`;
    console.log(`${mutant.name}: ${what} (${found.tried} tried)`);
    return { mutant, ...found };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The worlds that caught a mutant, each once: without a mutant nothing may be wrong there. */
function uniqueWorlds(found) {
  const caught = found.filter(({ seed }) => seed !== undefined);
  const jobs = caught.map(({ seed, mutant }) => JSON.stringify({ seeds: [seed], terms: mutant.terms }));
  return [...new Set(jobs)].map((job) => JSON.parse(job));
}

/** Runs seeds in a process of its own, until one breaks a promise. */
function hunt(folder, job) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [HUNT, folder, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: PATIENCE_MS,
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (said !== '') resolve(JSON.parse(said));
      else if (code === null) resolve({ tried: 0, hasHung: true });
      else reject(new Error(`the simulation does not run: ${folder} ended with code ${code}`));
    });
  });
}
