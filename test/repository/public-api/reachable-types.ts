import ts from 'typescript';

/** They decide nothing here: names are resolved without the types of the language and of Node. */
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noLib: true,
  types: [],
};

/** Type parameters, and bases that a call makes: their users never see a name. */
const NAMELESS = ts.SymbolFlags.TypeParameter | ts.SymbolFlags.Variable;

/**
 * Types that a signature needs and that no import can name, one line each. The compiler names a type by the entries that it has
 * read. So a type has to be exported by its own entry or by one that this entry leads to; otherwise an application with
 * `declaration: true` gets TS2883 (TS2742 before TypeScript 6) for an inferred type.
 * @param entries declaration files by entry
 * @param companions entries that are never imported without another one, with that one
 */
export function unreachableTypes(
  entries: ReadonlyMap<string, string>,
  companions: Readonly<Record<string, string>> = {},
): string[] {
  const host = rememberingHost();
  return [...entries].flatMap(([entry, file]) => {
    const companion = entries.get(companions[entry] ?? '');
    const program = ts.createProgram(companion ? [file, companion] : [file], OPTIONS, host);
    const checker = program.getTypeChecker();
    const exported = (path: string): ts.Symbol[] => {
      const source = program.getSourceFile(path);
      const module = source && checker.getSymbolAtLocation(source);
      return module ? checker.getExportsOfModule(module) : [];
    };
    const importable = new Set([...entries.values()].flatMap(exported).map((one) => targetOf(checker, one)));
    return exported(file).flatMap((one) =>
      [...typesNeeded(checker, targetOf(checker, one))]
        .filter((type) => !importable.has(type))
        .map((type) => `${entry}: ${one.name} needs ${type.name}`),
    );
  });
}

/** Entries share most of their files, which are parsed once. */
function rememberingHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS);
  const sources = new Map<string, ts.SourceFile | undefined>();
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (!sources.has(path)) sources.set(path, read(path, ...rest));
    return sources.get(path);
  };
  return host;
}

/** The types of the libraries that the declaration names where its users can see them. */
function typesNeeded(checker: ts.TypeChecker, symbol: ts.Symbol): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const spelledOut = new Set<ts.Symbol>();
  const visit = (node: ts.Node): void => {
    if (isHidden(node)) return;
    const name = nameIn(node);
    const named = name && checker.getSymbolAtLocation(name);
    if (named) add(targetOf(checker, named));
    ts.forEachChild(node, visit);
  };
  const add = (named: ts.Symbol): void => {
    const declared = named.declarations?.[0];
    if (!declared || !isOfLibrary(declared) || named.flags & NAMELESS || spelledOut.has(named)) return;
    if (!isPrivateAlias(declared)) return void found.add(named);
    // The compiler writes it out, since it cannot name it.
    spelledOut.add(named);
    visit(declared);
  };
  const isShown = (one: ts.Declaration) => isOfLibrary(one) && !ts.isSourceFile(one);
  for (const declaration of symbol.declarations?.filter(isShown) ?? []) visit(declaration);
  return found;
}

/** An alias for its own file alone. */
function isPrivateAlias(node: ts.Declaration): boolean {
  const isExported = (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;
  return ts.isTypeAliasDeclaration(node) && !isExported;
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  if (ts.isImportTypeNode(node)) return node.qualifier;
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

function isHidden(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  const isPrivate = (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0;
  return isPrivate || (node.name !== undefined && ts.isPrivateIdentifier(node.name));
}

function isOfLibrary(node: ts.Node): boolean {
  return !node.getSourceFile().fileName.includes('/node_modules/');
}

function targetOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}
