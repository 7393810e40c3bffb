import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = process.cwd();
const FOLDER = join(ROOT, 'test/unit/nestjs/types');
/** A line that compiles although it is expected not to. */
const BROKEN = join(FOLDER, 'broken.ts');
const BROKEN_TEXT = '// @ts-expect-error it does compile\nexport const fine = 1;\n';

/** In these files, each line below a `@ts-expect-error` must not compile. */
const FILES = [
  ['refuse what cannot be locked, and keep what can', 'locked-methods.ts'],
  ['refuse what cannot be given again, and functions of other arguments', 'idempotent-methods.ts'],
  ['refuse options that do not exist', 'decorator-options.ts'],
  ['know which options of a decorator belong to which kind', 'kind-options.ts'],
  ['know which options of a registration belong to which kind', 'registrations.ts'],
  ['name the class of a kind, and keep permits to semaphores', 'classes-of-kinds.ts'],
] as const;

/** What the compiler says about a file. */
type Problems = (file: string) => string[];

function compile(files: readonly string[]): Problems {
  const { config } = ts.readConfigFile(join(ROOT, 'test/tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: object;
  };
  const here = { ...config, include: [], files };
  const { options: all } = ts.parseJsonConfigFileContent(here, ts.sys, join(ROOT, 'test'));
  const host = ts.createCompilerHost(all);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version, ...rest) =>
    name === BROKEN
      ? ts.createSourceFile(name, BROKEN_TEXT, version, true)
      : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([...files, BROKEN], all, host);
  return (file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start = 0, messageText }) =>
        `line ${source!.getLineAndCharacterOfPosition(start).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  };
}

describe('the types', () => {
  let problems: Problems;
  beforeAll(() => {
    problems = compile(FILES.map(([, file]) => join(FOLDER, file)));
  }, 60_000);

  it.each(FILES)('%s', (_title, file) => {
    const path = join(FOLDER, file);
    expect(readFileSync(path, 'utf8')).toContain('@ts-expect-error');
    expect(problems(path)).toEqual([]);
  });

  it('are seen to refuse too little', () => {
    expect(problems(BROKEN)).toEqual(["line 1: Unused '@ts-expect-error' directive."]);
  });
});
