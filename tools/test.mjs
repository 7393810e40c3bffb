/** `npm test`, `npm run test:nest` and the others: runs the spec files of one or several commands. See `--help`. */
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { COMMANDS, ENGINES, rowOf, specFiles } from '../test/commands.mjs';
import { changedSince, specsTouchedBy } from './test/changed-files.mjs';
import { parseCommandLine, USAGE, UsageError } from './test/command-line.mjs';
import { exitOf, runJest } from './test/run-jest.mjs';
import { Tally } from './test/tally.mjs';

const MOST_WORKERS = 3;

const [name, ...args] = process.argv.slice(2);
try {
  process.exitCode = await main(name, parseCommandLine(args));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function main(name, line) {
  if (line.isHelp) return tell(USAGE);
  if (name === 'watch') return watch(line);
  const runs = runsOf(name, line).map((run) => ({ ...run, ...split(run.files, line.engines) }));
  const leftOut = runs.flatMap((run) => run.leftOut);
  if (line.isList) return tell(runs.flatMap(({ files }) => files).join('\n'));
  const tally = new Tally();
  for (const { command, files, workers } of runs) {
    if (files.length === 0) continue;
    if (runs.length > 1) console.log(`\n=== npm run ${command}`);
    const startedAt = performance.now();
    const result = await runJest({ files, workers, jest: line.jest });
    tally.add(command, result, {
      seconds: (performance.now() - startedAt) / 1_000,
      isFiltered: isFiltered(line.jest),
    });
    // After each command: whatever stops a later one, this is known.
    if (line.outputFile !== undefined) writeFileSync(line.outputFile, JSON.stringify(tally.report));
  }
  if (tally.isEmpty) return tellNothing(leftOut, line.engines);
  console.log(tally.text());
  tellRest(runs);
  for (const text of tally.late()) console.log(text);
  if (line.engines !== undefined) tellLeftOut(leftOut, line.engines);
  return tally.isGood ? 0 : 1;
}

function tell(text) {
  console.log(text);
  return 0;
}

/** A change may touch nothing that is tested; but a run of which everything was left out has not passed. */
function tellNothing(leftOut, engines) {
  console.log('no spec file to run');
  if (leftOut.length === 0) return 0;
  tellLeftOut(leftOut, engines);
  return 1;
}

/** The runs with their numbers of workers: one entry for each command. */
function runsOf(name, { paths, base = 'HEAD' }) {
  const all = specFiles();
  if (paths.length > 0) {
    const files = all.filter((file) => paths.some((path) => file.includes(path.replace(/^\.\//, ''))));
    if (files.length === 0) throw new UsageError(`no spec file matches ${paths.join(' ')}`);
    return [{ command: name, files, workers: MOST_WORKERS }];
  }
  if (name === 'changed') {
    const files = specsTouchedBy(changedSince(base));
    return COMMANDS.map(({ name: command, workers }) => ({
      command,
      workers,
      files: files.filter((file) => rowOf(file)?.command === command),
    }));
  }
  const chosen = COMMANDS.filter((command) => name === 'all' || command.name === name);
  if (chosen.length === 0) throw new UsageError(`unknown command ${name}`);
  return chosen.map(({ name: command, workers }) => ({
    command,
    workers,
    files: all.filter((file) => rowOf(file)?.command === command),
  }));
}

/** Splits the files into those of the requested engines and the rest. */
function split(files, engines) {
  const isServed = (file) =>
    engines === undefined ||
    (rowOf(file)?.needs ?? []).every((need) => !ENGINES.includes(need) || engines.includes(need));
  return { files: files.filter(isServed), leftOut: files.filter((file) => !isServed(file)) };
}

/** Whether the options select only some tests of the files: Jest reports the others as skipped. */
function isFiltered(jest) {
  return jest.some((flag) => /^(-t|--testNamePattern)\b/.test(flag));
}

function tellRest(runs) {
  const ran = new Set(runs.flatMap(({ files, leftOut }) => [...files, ...leftOut]));
  const rest = specFiles().filter((file) => !ran.has(file));
  const commands = COMMANDS.filter(({ name }) => rest.some((file) => rowOf(file)?.command === name));
  if (commands.length === 0) return;
  console.log('\nnot run here:');
  for (const { name, content } of commands) {
    const count = rest.filter((file) => rowOf(file)?.command === name).length;
    console.log(`  ${`npm run ${name}`.padEnd(22)} ${String(count).padStart(3)} files: ${content}`);
  }
  console.log('  npm run test:all           all tests');
}

function tellLeftOut(leftOut, engines) {
  const missing = [...new Set(leftOut.flatMap((file) => rowOf(file)?.needs ?? []))].filter(
    (need) => ENGINES.includes(need) && !engines.includes(need),
  );
  console.log(
    `excluded by --engines ${engines.join(',')}: ${leftOut.length} files that need ${missing.join(', ') || 'no other engine'}`,
  );
}

/** Jest's own watch mode, for the named files. */
function watch({ paths, jest }) {
  return exitOf(['--watch', ...jest, ...paths]);
}
