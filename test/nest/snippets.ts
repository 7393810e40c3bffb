import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = process.cwd();

/** What the compiler says about the ```ts blocks of a page, each as a file of its own; empty when all compile. */
export function compileSnippets(page: string): {
  readonly count: number;
  readonly errors: readonly string[];
} {
  const blocks = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
  const files = new Map(
    blocks.map(([, code = ''], index) => [join(ROOT, 'test', `snippet-${index + 1}.ts`), code]),
  );
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), (name) => ts.sys.readFile(name)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const all = {
    ...options,
    composite: false,
    declaration: false,
    noEmit: true,
    customConditions: ['@bedrock/source'],
  };
  const host = ts.createCompilerHost(all);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const code = files.get(name);
    return code === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, code, version, true);
  };
  const program = ts.createProgram([...files.keys()], all, host);
  const errors = [...files.keys()].flatMap((name) => {
    const source = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  return {
    count: files.size,
    errors: errors.map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${page} ${file?.fileName.split('/').at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    }),
  };
}
