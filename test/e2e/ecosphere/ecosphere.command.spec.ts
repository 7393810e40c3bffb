import { describe, expect, it } from '@jest/globals';
import { ecosphere } from './ecosphere-command.js';

describe('the command line of ecosphere', () => {
  it.each([
    [['--processes', 'four'], '--processes must be a whole number from 1 to 64; got "four"'],
    [['--processes', '2'], 'the memory backend lives in one process'],
    [['--backend', 'redis', '--url'], '--url needs a value'],
    [['--buyer', '3'], 'unknown option --buyer'],
    [['--scenario', 'lock-time', '--no-lock'], '--no-lock does nothing in --scenario lock-time'],
    [['sale'], '"sale" belongs to no option'],
  ])('refuses %j with one line, a hint and exit code 2, before anything runs', async (args, message) => {
    const { code, stdout, stderr } = await ecosphere(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toMatch(/^error: .+\nhint: .+\n$/);
  });

  it.each(['nonsense', 'http://x'])('refuses REDIS_URL=%s', async (REDIS_URL) => {
    const { code, stderr } = await ecosphere(['--backend', 'redis'], { REDIS_URL });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: REDIS_URL must be a Redis URL\nhint: .+--url.+\n$/);
  });

  it('explains itself', async () => {
    const { code, stdout } = await ecosphere(['--help']);
    expect(code).toBe(0);
    for (const word of ['--no-lock', '--processes', 'flash-sale', 'stages', 'Exit codes']) {
      expect(stdout).toContain(word);
    }
  });

  it('says which Redis does not answer, and ends with exit code 3', async () => {
    const { code, stderr } = await ecosphere(['--backend', 'redis', '--url', 'redis://:secret@127.0.0.1:1']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: .*Redis at 127\.0\.0\.1:1 does not answer: .+\n$/);
    expect(stderr).not.toContain('secret');
  });
});
