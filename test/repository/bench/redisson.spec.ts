import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaveOutMissing } from '../../../bench/src/cli/leave-out.js';
import { buildJava } from '../../../bench/src/jvm/build.js';
import { JAVA_SIDE } from '../../../bench/src/jvm/program.js';
import { titleOf } from '../../../bench/src/libraries/catalogue.js';
import { flashSale } from '../../../bench/src/scenarios/flash-sale.js';
import { SCENARIOS } from '../../../bench/src/scenarios/scenarios.js';

const given = process.env['JAVA_BIN'];
let told: string;
beforeEach(() => {
  told = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
  process.env['JAVA_BIN'] = '/nowhere/java';
});
afterEach(() => {
  jest.restoreAllMocks();
  if (given === undefined) delete process.env['JAVA_BIN'];
  else process.env['JAVA_BIN'] = given;
});

describe('Redisson in the bench', () => {
  it('takes part in the flash sale and in the hand-over between processes', () => {
    const names = SCENARIOS.filter(({ libraries }) => libraries.includes('redisson')).map(({ name }) => name);
    expect(names).toEqual(['S5', 'flash-sale']);
  });

  it('is the version that its row tells', () => {
    const pom = readFileSync(join(JAVA_SIDE, 'pom.xml'), 'utf8');
    const [, version] = /<artifactId>redisson<\/artifactId>\s*<version>(.+)<\/version>/.exec(pom)!;
    expect(titleOf('redisson')).toBe(`Redisson ${version}`);
  });

  it('is left out with one line when there is no JVM, and the others stay', async () => {
    const plan = [{ scenario: flashSale, libraries: ['raw', 'bedrock', 'redisson'] as const }];
    const present = await leaveOutMissing(plan);
    expect(present).toEqual([{ scenario: flashSale, libraries: ['raw', 'bedrock'] }]);
    expect(told).toBe(
      'bench: leaving out Redisson: Java not found; install a JDK of 17 or newer, or name it in JAVA_BIN\n',
    );
  });

  it('needs no JVM when the plan does not ask for it', async () => {
    const plan = [{ scenario: flashSale, libraries: ['raw', 'bedrock'] as const }];
    expect(await leaveOutMissing(plan)).toBe(plan);
    expect(told).toBe('');
  });

  it('says in one line why Java cannot be run', async () => {
    process.env['JAVA_BIN'] = '/bin/false';
    expect(await buildJava()).toMatch(/^Java failed: .+$/);
  });
});
