/**
 * Builds `dist/cjs` of every library: the same code for `require()`, with the declarations that `tsc -b` has written.
 * swc, which also compiles for the tests, rewrites the module syntax of all files faster than tsc starts.
 */
import { transformFileSync } from '@swc/core';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraries = fileURLToPath(new URL('../libs', import.meta.url));
// A program is started, never required, and may use top-level await.
const unwanted = /\.spec\.ts$|(^|\/)main\.ts$/;

// How swc compiles `import.meta.url`.
const PLACE = 'pathToFileURL(__filename)';

/** @param {string} folder @returns {string[]} every file below it, relative to it */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/**
 * @param {string} source
 * @param {{ target: string, esModule: string }} where the path of the compiled file, and that of the same module by tsc
 */
function compile(source, { target, esModule }) {
  const { code, map } = transformFileSync(source, {
    swcrc: false,
    configFile: false,
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, verbatimModuleSyntax: true },
      keepClassNames: true,
    },
    // import() becomes require(), too: Jest has no import() for CommonJS.
    module: { type: 'commonjs' },
    sourceMaps: true,
    inlineSourcesContent: false,
    sourceFileName: relative(dirname(target), source),
  });
  // Files next to a module (`import.meta.url`) are found from the ES module.
  const place = `require("path").join(__dirname, ${JSON.stringify(relative(dirname(target), esModule))})`;
  const placed = code.replaceAll(PLACE, () => `pathToFileURL(${place})`);
  if (placed === code && readFileSync(source, 'utf8').includes('import.meta')) {
    throw new Error(`${source}: import.meta was not compiled to ${PLACE}, so it would name another file`);
  }
  return { code: placed, map };
}

/** @param {string} library */
function build(library) {
  const [src, dist] = [join(library, 'src'), join(library, 'dist')];
  const written = new Set(['package.json']);
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  for (const file of filesOf(src)) {
    if (!file.endsWith('.ts') || unwanted.test(file)) continue;
    const name = file.slice(0, -'.ts'.length);
    const target = join(dist, 'cjs', `${name}.js`);
    const { code, map } = compile(join(src, file), { target, esModule: join(dist, `${name}.js`) });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
    writeFileSync(`${target}.map`, map ?? '');
    copyFileSync(join(dist, `${name}.d.ts`), join(dist, 'cjs', `${name}.d.ts`));
    for (const end of ['.js', '.js.map', '.d.ts']) written.add(name + end);
  }
  for (const file of filesOf(join(dist, 'cjs'))) if (!written.has(file)) rmSync(join(dist, 'cjs', file));
}

for (const name of readdirSync(libraries)) build(join(libraries, name));
