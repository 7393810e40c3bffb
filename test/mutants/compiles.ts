import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { mutatedText } from './apply.mjs';
import type { Mutant } from './mutants.mjs';

const ROOT = join(import.meta.dirname, '../..');
const LIBRARY = join(ROOT, 'libs/lock');

/**
 * What the compiler has against the library with one mutant in it. A mutant that names what does not exist would be caught as any
 * mistake is, and prove nothing about its rule.
 */
export class MutantCompiler {
  #file = '';
  #text = '';
  #version = 0;
  readonly #service: ts.LanguageService;

  constructor() {
    const read = ts.readConfigFile(join(LIBRARY, 'tsconfig.json'), (file) => ts.sys.readFile(file));
    const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, LIBRARY, {
      noUnusedLocals: false,
      noUnusedParameters: false,
    });
    this.#service = ts.createLanguageService({
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      getScriptFileNames: () => fileNames,
      getScriptVersion: (file) => (file === this.#file ? String(this.#version) : '0'),
      getScriptSnapshot: (file) => this.#snapshot(file),
      getCurrentDirectory: () => ROOT,
      getCompilationSettings: () => options,
      getDefaultLibFileName: (of) => ts.getDefaultLibFilePath(of),
    });
  }

  /** The faults of a mutant of a TypeScript file, in words. */
  faultsOf(mutant: Mutant): string[] {
    if (!mutant.file.endsWith('.ts')) return [];
    this.#file = join(LIBRARY, 'src', mutant.file);
    this.#text = mutatedText(mutant);
    this.#version += 1;
    return [
      ...this.#service.getSyntacticDiagnostics(this.#file),
      ...this.#service.getSemanticDiagnostics(this.#file),
    ].map(({ messageText }) => `${mutant.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  }

  #snapshot(file: string): ts.IScriptSnapshot | undefined {
    if (file === this.#file) return ts.ScriptSnapshot.fromString(this.#text);
    return existsSync(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')) : undefined;
  }
}
