/**
 * Puts the README's lines into new applications, as a reader would: what `nest new` of Nest 11 and 12 makes, and a plain
 * TypeScript project. Each is compiled by its own compiler and run. Prints a line for each; exits with 1 if one has failed.
 * Needs the result of `npm run build`, npm, and a Redis that it finds or starts.
 */
import { startRedis } from 'bedrock-servers';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerUsage } from './answer-usage.mjs';
import { check } from './check.mjs';
import { run } from './install-packages.mjs';
import { packLibrary } from './pack-library.mjs';

answerUsage(`npm run check:readme

Puts the README's lines into new applications of Nest 11, of Nest 12 and of TypeScript alone, and runs them there.

  --help
`);

const root = fileURLToPath(new URL('..', import.meta.url));
const QUIETLY = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
const CLIENT = 'ioredis';

const [nestLines, plainLines] = Array.from(
  readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm),
  ([, code]) => code,
);

/** How each application is made, where the lines go, how it is compiled and run, and what it prints. */
const APPLICATIONS = [
  ...['11', '12'].map((major) => ({
    title: `nest new of Nest ${major}`,
    name: `nest-${major}`,
    lines: nestLines,
    packages: ['libs/lock', 'libs/nestjs'],
    async make(work) {
      const options = ['--skip-git', '--skip-install', '--package-manager', 'npm'];
      await run('npx', ['--yes', `@nestjs/cli@${major}`, 'new', `nest-${major}`, ...options], { cwd: work });
    },
    file: 'src/main.ts',
    build: ['npm', 'run', 'build'],
    program: 'dist/main.js',
    prints: /^p-1 is reserved under token \d+$/m,
  })),
  {
    title: 'a plain TypeScript project',
    name: 'plain',
    lines: plainLines,
    packages: ['libs/lock'],
    async make(work) {
      const cwd = join(work, 'plain');
      mkdirSync(cwd);
      await run('npm', ['init', '--yes'], { cwd });
      await run('npm', ['install', '--save-dev', ...QUIETLY, 'typescript@6', '@types/node@20'], { cwd });
      const options = { module: 'nodenext', target: 'es2022', strict: true, types: ['node'], outDir: 'dist' };
      writeFileSync(
        join(cwd, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: options, files: ['main.ts'] }),
      );
    },
    file: 'main.ts',
    build: ['npx', 'tsc'],
    program: 'dist/main.js',
    prints: /^$/,
  },
];

/** Makes an application, puts the lines in, and runs it. @param {typeof APPLICATIONS[number]} application @param {string} url */
async function checkApplication({ name, lines, packages, make, file, build, program, prints }, url) {
  const cwd = join(work, name);
  await make(work);
  const archives = packages.map((folder) => packLibrary(folder, work).archive);
  await run('npm', ['install', ...QUIETLY, ...archives, CLIENT], { cwd });
  writeFileSync(join(cwd, file), lines);
  const [command, ...args] = build;
  await run(command, args, { cwd });
  const { stdout, stderr } = await run(process.execPath, [program], { cwd, env: { REDIS_URL: url } });
  assert.match(stdout.trim(), prints);
  assert.equal(stderr, '');
}

const redis = await startRedis();
const work = mkdtempSync(join(tmpdir(), 'bedrock-readme-'));
try {
  for (const application of APPLICATIONS)
    await check(application.title, () => checkApplication(application, redis.url));
} finally {
  await redis.stop();
  rmSync(work, { recursive: true, force: true });
}
