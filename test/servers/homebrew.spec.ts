import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homebrewFolders, homebrewJars } from './src/homebrew.js';

describe('the folders of Homebrew', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'bedrock-homebrew-'));
  afterAll(() => rmSync(prefix, { recursive: true }));

  it('are searched for formulas that are not linked, the newest first, and for jars', () => {
    const kegs = ['postgresql@9', 'postgresql@16', 'openjdk', 'zookeeper/libexec/lib', 'wget'];
    for (const keg of kegs) mkdirSync(join(prefix, 'opt', keg), { recursive: true });
    expect(homebrewFolders([prefix])).toEqual([
      join(prefix, 'bin'),
      ...['openjdk', 'postgresql@16', 'postgresql@9'].map((keg) => join(prefix, 'opt', keg, 'bin')),
    ]);
    expect(homebrewJars([join(prefix, 'none'), prefix])).toBe(join(prefix, 'opt/zookeeper/libexec/lib'));
    expect(homebrewJars([])).toBeUndefined();
  });
});
