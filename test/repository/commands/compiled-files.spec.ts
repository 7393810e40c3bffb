import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledFiles } from '../../../tools/build/compiled-files.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bedrock-compiled-'));
const record = join(folder, 'record.json');
const outputs = [join(folder, 'a.js'), join(folder, 'a.js.map')];

afterAll(() => rmSync(folder, { recursive: true }));

/** A build of one file. Returns whether it compiled. */
function build({ source = 'text', compilers = '1' } = {}): boolean {
  let isCompiled = false;
  const files = new CompiledFiles(record, compilers);
  files.update(outputs, source, () => {
    isCompiled = true;
    for (const file of outputs) writeFileSync(file, `${compilers} ${source}`);
  });
  files.save();
  return isCompiled;
}

describe('a build that was made before', () => {
  beforeEach(() => {
    build({ source: 'older' });
    build();
  });

  it('compiles nothing again', () => {
    expect([build(), build()]).toEqual([false, false]);
  });

  it.each([
    ['the source changes', () => build({ source: 'newer' })],
    ['a compiler changes', () => build({ compilers: '2' })],
    ['an output was removed', () => (rmSync(outputs[1]!), build())],
    ['an output was changed', () => (writeFileSync(outputs[0]!, 'by hand'), build())],
    ['the record is damaged', () => (writeFileSync(record, '{'), build())],
  ])('compiles again when %s', (_, again) => {
    expect(again()).toBe(true);
  });
});
