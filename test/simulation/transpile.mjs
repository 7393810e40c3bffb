/**
 * Writes the production code and the simulation as JavaScript that plain Node runs, which is several times as fast as Jest:
 * `transpile(folder)` gives the path of the simulation in that folder.
 */
import { transformSync } from '@swc/core';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embed } from '../../tools/embed-lua.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['libs/lock/src', 'libs/testkit/src/history', 'libs/testkit/src/liveness', 'test/simulation'];

/** @param edit of a production file: its path in the repository and its text, for mutants */
export function transpile(folder, edit = (_path, text) => text) {
  embed();
  for (const source of FOLDERS) {
    for (const name of readdirSync(join(ROOT, source), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
      const path = join(source, name);
      const target = join(folder, path.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, javaScriptOf(path, edit(path, readFileSync(join(ROOT, path), 'utf8'))));
    }
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  return join(folder, 'test/simulation');
}

/** What Node runs of a TypeScript file. @param path in the repository */
export function javaScriptOf(path, text) {
  const { code } = transformSync(text, {
    filename: join(ROOT, path),
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { verbatimModuleSyntax: true },
      keepClassNames: true,
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  });
  return code;
}
