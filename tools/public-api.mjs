/**
 * Describes what the libraries export, as text: one file per entry in `test/public-api/`.
 * Without arguments it names the entries whose file is out of step and exits 1; `--update` writes the files.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const snapshots = join(root, 'test/public-api');
const printer = ts.createPrinter({ removeComments: true });

/** Every entry of every library, from the source condition of its exports: `bedrock-lock/redis` → file. */
function readEntries() {
  /** @type {Map<string, string>} */
  const entries = new Map();
  for (const folder of readdirSync(join(root, 'libs')).sort()) {
    const manifest = JSON.parse(readFileSync(join(root, 'libs', folder, 'package.json'), 'utf8'));
    for (const [subpath, target] of Object.entries(manifest.exports)) {
      const source = target['@bedrock/source'];
      if (source) entries.set(manifest.name + subpath.slice(1), join(root, 'libs', folder, source));
    }
  }
  return entries;
}

/** @param {string} name */
const declarationOf = (name) => name.replace(/\.ts$/, '.d.ts');

/**
 * The declaration files of these sources, by path, as the build would write them.
 * @param {string[]} files
 */
function emitDeclarations(files) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(files, {
    ...options,
    composite: false,
    sourceMap: false,
    emitDeclarationOnly: true,
    rootDir: root,
    customConditions: ['@bedrock/source'],
  });
  /** @type {Map<string, string>} */
  const emitted = new Map();
  program.emit(undefined, (_name, text, _bom, _onError, sources) => {
    for (const source of sources ?? []) emitted.set(declarationOf(source.fileName), text);
  });
  return { emitted, options };
}

/**
 * @param {ts.Node} node
 * @returns {boolean} whether it is seen from outside of its class
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
 * @returns {Map<string, string>} by entry
 */
export function describeApi(entries = readEntries()) {
  const { emitted, options } = emitDeclarations([...entries.values()]);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => emitted.has(name) || (!emitted.has(declarationOf(name)) && fileExists(name));
  host.readFile = (name) => emitted.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = emitted.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version, true);
  };
  const program = ts.createProgram(
    [...entries.values()].map(declarationOf),
    { ...options, composite: false },
    host,
  );
  const checker = program.getTypeChecker();
  /** @type {Map<string, string>} */
  const described = new Map();
  for (const [entry, file] of entries) {
    const source = program.getSourceFile(declarationOf(file));
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

/** @returns {Map<string, string>} what is committed, by file */
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

function main() {
  const wanted = new Map([...describeApi()].map(([entry, text]) => [snapshotFile(entry), text]));
  const committed = readSnapshots();
  const changed = [...wanted].filter(([file, text]) => committed.get(file) !== text).map(([file]) => file);
  const left = [...committed.keys()].filter((file) => !wanted.has(file));
  const isUpdate = process.argv.includes('--update');
  for (const file of [...changed, ...left]) {
    console.log(`${isUpdate ? 'updated' : 'out of step:'} ${relative(dirname(snapshots), file)}`);
  }
  if (isUpdate) {
    for (const file of changed) writeFileSync(file, wanted.get(file) ?? '');
    for (const file of left) rmSync(file);
  } else if (changed.length + left.length > 0) {
    console.error('run `npm run api -- --update` and read the difference');
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
