import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** @param {readonly string[]} texts */
function hashOf(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest('base64');
}

/** @param {readonly string[]} files @returns {string[] | undefined} their texts, if all are there */
function textsOf(files) {
  return files.every((file) => existsSync(file))
    ? files.map((file) => readFileSync(file, 'utf8'))
    : undefined;
}

/** @param {string} file @returns {Record<string, string>} nothing for a file that is missing or damaged */
function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Records from which texts files were compiled, so that a build which changes nothing compiles nothing. */
export class CompiledFiles {
  #before;
  #after = {};

  /**
   * @param {string} file where the record is kept
   * @param {string} compilers changes whenever the same source may compile to something else
   */
  constructor(file, compilers) {
    this.file = file;
    this.compilers = compilers;
    this.#before = readRecord(file);
  }

  /**
   * Calls `compile`, which writes `outputs`, unless these are already what `source` compiles to.
   * @param {readonly string[]} outputs
   * @param {string} source the text
   * @param {() => void} compile
   */
  update(outputs, source, compile) {
    const key = outputs[0];
    const texts = textsOf(outputs);
    const isCurrent = texts !== undefined && this.#before[key] === hashOf([this.compilers, source, ...texts]);
    if (!isCurrent) compile();
    this.#after[key] = isCurrent
      ? this.#before[key]
      : hashOf([this.compilers, source, ...(textsOf(outputs) ?? [])]);
  }

  save() {
    const text = JSON.stringify(this.#after);
    if (text === JSON.stringify(this.#before)) return;
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, text);
  }
}
