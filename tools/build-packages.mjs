/**
 * Builds what `tsc -b` does not: the CommonJS of every library, and the ES modules of `bedrock-lock`.
 *
 * `bedrock-lock` has one implementation, CommonJS in `dist`. Its ES modules, `dist/<entry>.mjs`, only export the same
 * names again, so a process has one copy however it is imported. The other libraries are compiled twice, since Nest 12
 * is an ES module: by `tsc -b` into `dist`, and here into `dist/cjs`.
 *
 * `--before-tsc` writes the files that `tsc -b` reads: how the declarations in `dist` are to be understood.
 */
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { transformSync } from '@swc/core';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { CompiledFiles } from './build/compiled-files.mjs';

const require = createRequire(import.meta.url);
const libraries = fileURLToPath(new URL('../libs', import.meta.url));
const LOCK = join(libraries, 'lock');
// The command line is a program: nothing requires it.
const TWICE = readdirSync(libraries).filter((name) => name !== 'lock' && name !== 'cli');

// A program is started, never required, and may use top-level await.
const unwanted = /\.spec\.ts$|(^|\/)main\.ts$/;
const COMMONJS = '{ "type": "commonjs" }\n';

/** npm does not pack what this file names. */
const UNPACKED = '.npmignore';

const compiled = new CompiledFiles(
  fileURLToPath(new URL('../node_modules/.cache/bedrock-build.json', import.meta.url)),
  ['../package-lock.json', import.meta.url]
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    .join(''),
);

// How swc compiles `import.meta.url`.
const PLACE = 'pathToFileURL(__filename)';

/** @param {string} folder @returns {string[]} every file below it, relative to it */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/**
 * Writes a file unless it has this text already: a second build must not disturb a program that reads the first one.
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

/** Modules of a library, relative to its `src`, without the `.ts`. @param {string} library */
function modulesOf(library) {
  return filesOf(join(library, 'src'))
    .filter((file) => file.endsWith('.ts') && !unwanted.test(file))
    .map((file) => file.slice(0, -'.ts'.length));
}

/** Entries of bedrock-lock: `index`, `redis` and the others. */
function entriesOfLock() {
  const { exports } = JSON.parse(readFileSync(join(LOCK, 'package.json'), 'utf8'));
  return Object.values(exports).flatMap((target) =>
    target.require === undefined ? [] : basename(target.require.default, '.js'),
  );
}

/**
 * Blanks the comments of a module, which users read in its declarations and in its source map. Every other character keeps
 * its place.
 * @param {string} text
 */
function withoutComments(text) {
  const file = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest);
  const ranges = [];
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    ranges.push(...(ts.getLeadingCommentRanges(text, node.pos) ?? []));
    ranges.push(...(ts.getTrailingCommentRanges(text, node.end) ?? []));
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  let bare = text;
  for (const { pos, end } of ranges)
    bare = bare.slice(0, pos) + bare.slice(pos, end).replaceAll(/[^\n]/g, ' ') + bare.slice(end);
  return bare;
}

/**
 * The map of a module with its text, but only one entry for each line of the text on a line of the code: traces name lines.
 * @param {string} map
 * @param {string} text
 * @param {string} source its path, from the folder of the map
 */
function slim(map, text, source) {
  const { version, mappings } = JSON.parse(map);
  const lines = decode(mappings).map((segments) =>
    segments.filter(([, , line], i) => line !== segments[i - 1]?.[2]).map((segment) => segment.slice(0, 4)),
  );
  return JSON.stringify({
    version,
    sources: [source],
    sourcesContent: [text],
    names: [],
    mappings: encode(lines),
  });
}

/**
 * @param {string} source
 * @param {string} text what it contains
 * @param {{ target: string, esModule: string }} where the path of the compiled file, and that of the same module by tsc
 */
function compile(source, text, { target, esModule }) {
  const { code, map = '' } = transformSync(withoutComments(text), {
    filename: source,
    swcrc: false,
    configFile: false,
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, verbatimModuleSyntax: true },
      keepClassNames: true,
    },
    // import() becomes require(), too: Jest has no import() for CommonJS.
    module: { type: 'commonjs', exportInteropAnnotation: true },
    sourceMaps: true,
  });
  // Files next to a module (`import.meta.url`) are found from the ES module.
  const place = `require("path").join(__dirname, ${JSON.stringify(relative(dirname(target), esModule))})`;
  const placed = code.replaceAll(PLACE, () => `pathToFileURL(${place})`);
  if (placed === code && text.includes('import.meta')) {
    throw new Error(`${source}: import.meta was not compiled to ${PLACE}, so it would name another file`);
  }
  return { code: placed, map: slim(map, text, relative(dirname(target), source)) };
}

/**
 * Compiles every module of a library to CommonJS, each with its source map.
 * @param {string} library
 * @param {string} folder
 */
function buildCommonJs(library, folder) {
  for (const name of modulesOf(library)) {
    const target = join(folder, `${name}.js`);
    const esModule = join(library, 'dist', `${name}.js`);
    const source = join(library, 'src', `${name}.ts`);
    // Scripts of Redis in their embedded form need no map.
    const outputs = isGenerated(name) ? [target] : [target, `${target}.map`];
    const text = readFileSync(source, 'utf8');
    compiled.update(outputs, text, () => {
      const { code, map } = compile(source, text, { target, esModule });
      mkdirSync(dirname(target), { recursive: true });
      if (isGenerated(name)) write(target, code);
      else {
        write(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
        write(`${target}.map`, map);
      }
    });
  }
}

/** @param {string} name */
function isGenerated(name) {
  return name.endsWith('.generated');
}

/** What the build of a module writes. @param {string} name */
function outputsOf(name) {
  return ['.js', '.d.ts', ...(isGenerated(name) ? [] : ['.js.map'])].map((end) => name + end);
}

/** Removes what an earlier build has left. @param {string} folder @param {readonly string[]} kept relative to it */
function removeOthers(folder, kept) {
  const names = new Set(kept);
  for (const file of filesOf(folder)) if (!names.has(file)) rmSync(join(folder, file));
}

function prepareLock() {
  const dist = join(LOCK, 'dist');
  mkdirSync(dist, { recursive: true });
  write(join(dist, 'package.json'), COMMONJS);
  for (const entry of entriesOfLock())
    write(join(dist, `${entry}.d.mts`), `export * from './${entry}.js';\n`);
}

/** Tables of the databases, for applications that make them in migrations of their own, by their place in the package. */
const MIGRATIONS = Object.fromEntries(
  ['mysql', 'postgres'].map((engine) => [`${engine}.sql`, `backends/sql/${engine}/migration.sql`]),
);

/**
 * The declarations that the entries lead to.
 * @param {string} dist
 * @param {readonly string[]} entries
 */
function reachableDeclarations(dist, entries) {
  const reached = new Set(entries.map((entry) => `${entry}.d.ts`));
  for (const file of reached) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(dist, file), 'utf8'));
    for (const { fileName } of importedFiles) {
      if (fileName.startsWith('.')) reached.add(join(dirname(file), fileName.replace(/\.js$/, '.d.ts')));
    }
  }
  return reached;
}

function buildLock() {
  const dist = join(LOCK, 'dist');
  buildCommonJs(LOCK, dist);
  for (const [name, source] of Object.entries(MIGRATIONS))
    write(join(dist, name), readFileSync(join(LOCK, 'src', source), 'utf8'));
  const entries = entriesOfLock();
  for (const entry of entries) {
    const names = Object.keys(require(join(dist, `${entry}.js`)));
    write(join(dist, `${entry}.mjs`), `export { ${names.join(', ')} } from './${entry}.js';\n`);
  }
  // `tsc -b` needs all declarations the next time; the package needs those of its entries.
  const reached = reachableDeclarations(dist, entries);
  const unreached = modulesOf(LOCK)
    .map((name) => `${name}.d.ts`)
    .filter((file) => !reached.has(file));
  write(join(dist, UNPACKED), unreached.map((file) => `/${file}\n`).join(''));
  const modules = modulesOf(LOCK).flatMap(outputsOf);
  const wrappers = entries.flatMap((name) => ['.mjs', '.d.mts'].map((end) => name + end));
  const others = ['package.json', '.tsbuildinfo', UNPACKED, ...Object.keys(MIGRATIONS)];
  removeOthers(dist, [...others, ...modules, ...wrappers]);
}

/** @param {string} library */
function buildTwice(library) {
  const dist = join(library, 'dist');
  const folder = join(dist, 'cjs');
  buildCommonJs(library, folder);
  write(join(folder, 'package.json'), COMMONJS);
  const modules = modulesOf(library);
  for (const name of modules)
    write(join(folder, `${name}.d.ts`), readFileSync(join(dist, `${name}.d.ts`), 'utf8'));
  removeOthers(folder, ['package.json', ...modules.flatMap(outputsOf)]);
}

if (process.argv[2] === '--before-tsc') prepareLock();
else {
  buildLock();
  for (const name of TWICE) buildTwice(join(libraries, name));
  compiled.save();
}
