/**
 * Describes the exports of the libraries as text: one file per entry in `test/repository/public-api/`. Reads the
 * declarations of the build.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { answerUsage } from './answer-usage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const snapshots = join(root, 'test/repository/public-api');
const printer = ts.createPrinter({ removeComments: true });

/**
 * Every entry of every library, from the types of its exports: `bedrock-lock/redis` → declaration file.
 * @throws Error if the build is missing or older than the sources
 */
export function readEntries() {
  /** @type {Map<string, string>} */
  const entries = new Map();
  for (const folder of readdirSync(join(root, 'libs')).sort()) {
    const library = join(root, 'libs', folder);
    requireBuild(library);
    const manifest = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
    for (const [subpath, target] of Object.entries(manifest.exports)) {
      // The ES modules of bedrock-lock export again what those declare.
      const again = target.import?.types.endsWith('.d.mts');
      const declarations = again ? target.require.types : target.import?.types;
      if (declarations) entries.set(manifest.name + subpath.slice(1), join(library, declarations));
    }
  }
  return entries;
}

/**
 * Refuses a stale build, which would show an old API.
 * @param {string} library its folder
 * @throws Error if the build is missing or older than the sources
 */
export function requireBuild(library) {
  // `tsc -b` touches this file even if it writes nothing else.
  const builtAt = statSync(join(library, 'dist/.tsbuildinfo'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changed = readdirSync(join(library, 'src'), { recursive: true, encoding: 'utf8' }).find(
    (name) => /(?<!\.spec)\.ts$/.test(name) && statSync(join(library, 'src', name)).mtimeMs > builtAt,
  );
  if (changed === undefined) return;
  const state = builtAt === 0 ? 'is missing' : `is older than src/${changed}`;
  throw new Error(`${relative(root, library)}/dist ${state}: run \`npm run build\` first`);
}

/**
 * @param {ts.Node} node
 * @returns {boolean} whether it is visible outside its class
 */
function isVisible(node) {
  if (!ts.isClassElement(node)) return true;
  if (node.name !== undefined && ts.isPrivateIdentifier(node.name)) return false;
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) === 0;
}

/**
 * @param {ts.Declaration} declaration
 * @returns {string} its text without comments, `export`, `declare` and private members
 */
function print(declaration) {
  const file = declaration.getSourceFile();
  if (ts.isVariableDeclaration(declaration)) {
    return `const ${printer.printNode(ts.EmitHint.Unspecified, declaration, file)};`;
  }
  if (ts.isSourceFile(declaration)) return 'namespace;';
  const shown = ts.isClassDeclaration(declaration)
    ? ts.factory.updateClassDeclaration(
        declaration,
        declaration.modifiers,
        declaration.name,
        declaration.typeParameters,
        declaration.heritageClauses,
        declaration.members.filter(isVisible),
      )
    : declaration;
  return printer
    .printNode(ts.EmitHint.Unspecified, shown, file)
    .replace(/^(?:export |default |declare )+/, '');
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
function describe(checker, symbol) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declared = target.declarations ?? [];
  const at = symbol.declarations?.[0];
  const from = at && ts.isExportSpecifier(at) ? at.parent.parent.moduleSpecifier?.getText() : undefined;
  // A name of another package is described there.
  if (from !== undefined && !from.slice(1).startsWith('.')) return `export ${symbol.name} from ${from};`;
  if (declared.length === 0) return `${symbol.name}: unresolved`;
  const text = declared.map(print).join('\n');
  return symbol.name === target.name ? text : `// exported as ${symbol.name}\n${text}`;
}

/**
 * The public API of every entry as text: its names in alphabetical order, with their declarations.
 * @param entries declaration files by entry
 * @returns {Map<string, string>} by entry
 */
export function describeApi(entries = readEntries()) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Names and declarations need no types of the language or of Node.
  const program = ts.createProgram([...entries.values()], {
    ...options,
    composite: false,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  /** @type {Map<string, string>} */
  const described = new Map();
  for (const [entry, file] of entries) {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const symbols = module ? checker.getExportsOfModule(module) : [];
    const names = symbols.sort((a, b) => (a.name < b.name ? -1 : 1));
    const parts = [`# ${entry}`, ...names.map((symbol) => describe(checker, symbol))];
    described.set(entry, `${parts.join('\n\n')}\n`);
  }
  return described;
}

/** @param {string} entry */
export function snapshotFile(entry) {
  return join(snapshots, `${entry.replaceAll('/', '.')}.api.txt`);
}

/** @returns {Map<string, string>} the committed snapshots, by file */
export function readSnapshots() {
  /** @type {Map<string, string>} */
  const texts = new Map();
  mkdirSync(snapshots, { recursive: true });
  for (const name of readdirSync(snapshots)
    .filter((one) => one.endsWith('.api.txt'))
    .sort()) {
    texts.set(join(snapshots, name), readFileSync(join(snapshots, name), 'utf8'));
  }
  return texts;
}

const USAGE = `npm run api -- [options]

Compares the exports of the libraries with the record in test/repository/public-api. Lists outdated entries and exits with 1;
exits with 2 for an invalid option.

  --update   write the record
  --help
`;

function main() {
  answerUsage(USAGE);
  const wanted = new Map([...describeApi()].map(([entry, text]) => [snapshotFile(entry), text]));
  const committed = readSnapshots();
  const changed = [...wanted].filter(([file, text]) => committed.get(file) !== text).map(([file]) => file);
  const left = [...committed.keys()].filter((file) => !wanted.has(file));
  const isUpdate = process.argv.includes('--update');
  for (const file of [...changed, ...left]) {
    console.log(`${isUpdate ? 'updated' : 'outdated:'} ${relative(dirname(snapshots), file)}`);
  }
  if (isUpdate) {
    for (const file of changed) writeFileSync(file, wanted.get(file) ?? '');
    for (const file of left) rmSync(file);
  } else if (changed.length + left.length > 0) {
    console.error('run `npm run api -- --update` and review the difference');
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
