import { describe, expect, it } from '@jest/globals';
import { parseServe, servePage } from '../src/cli/parse-serve.js';
import { SERVE } from '../src/cli/serve-options.js';
import { UsageError } from '../src/cli/usage.error.js';

describe('the command line of the shop', () => {
  it('listens on 3000 with 1,000 items when nothing is asked for', () => {
    expect(parseServe([], {})).toEqual({ kind: 'serve', port: 3_000, stock: 1_000 });
  });

  it('takes options before the environment', () => {
    const args = ['--port', '0', '--stock=5', '--redis', 'redis://h:1'];
    expect(parseServe(args, { PORT: '80' })).toEqual({
      kind: 'serve',
      port: 0,
      stock: 5,
      redis: 'redis://h:1',
    });
    expect(parseServe([], { PORT: '80' })).toMatchObject({ port: 80 });
    expect(parseServe([], { PORT: '' })).toMatchObject({ port: 3_000 });
  });

  it('names every option in the help', () => {
    expect(parseServe(['-h', '--stock', '3'], {})).toEqual({ kind: 'help' });
    for (const name of Object.keys(SERVE.rows)) expect(servePage()).toContain(`--${name}`);
  });

  it.each([
    ['--prt 1', 'unknown option --prt', 'did you mean --port?'],
    ['--backend redis', 'unknown option --backend', 'npm run serve -- --help'],
    ['3000', '"3000" belongs to no option', 'npm run serve -- --help'],
    ['--port', '--port needs a value', '--port <n>'],
    ['--port 65536', '--port must be a whole number from 0 to 65535; got "65536"', 'npm run serve -- --help'],
    ['--port -1', 'got "-1"', 'npm run serve -- --help'],
    ['--port 1e3', 'got "1e3"', 'npm run serve -- --help'],
    ['--port 1 --port 2', '--port is given twice', 'npm run serve -- --help'],
    ['--stock 0', '--stock must be a whole number from 1 to 1000000; got "0"', 'npm run serve -- --help'],
    ['--stock ten', 'got "ten"', 'npm run serve -- --help'],
    ['--stock 1000001', 'got "1000001"', 'npm run serve -- --help'],
    ['--redis', '--redis needs a value', '--redis <url>'],
    ['--redis --port 1', '--redis needs a value', '--redis <url>'],
    ['--help=1', '--help takes no value; got "1"', 'npm run serve -- --help'],
    ['--redis http://h', '--redis must be a Redis URL', '--redis redis://127.0.0.1:6379'],
    ['--redis :secret@h', '--redis must be a Redis URL', '--redis redis://127.0.0.1:6379'],
  ])('refuses "%s" and says what to do', (line, message, hint) => {
    const failure = errorOf(line.split(' '), {});
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure.message).toContain(message);
    expect(failure.hint).toContain(hint);
    expect(failure.message + failure.hint).not.toMatch(/\n|secret/);
  });

  it.each(['http', '-1', '70000', ' '])('refuses the environment PORT=%j', (PORT) => {
    const { message, hint } = errorOf([], { PORT });
    expect(message).toContain('PORT must be a whole number from 0 to 65535');
    expect(hint).toContain('--port');
    expect(parseServe(['--port', '1'], { PORT })).toMatchObject({ port: 1 });
  });

  it.each(['nonsense', 'http://x', '//:secret@h', ' '])(
    'refuses the environment REDIS_URL=%j',
    (REDIS_URL) => {
      const { message, hint } = errorOf([], { REDIS_URL });
      expect(message).toBe('REDIS_URL must be a Redis URL');
      expect(hint).toBe('set REDIS_URL to redis://127.0.0.1:6379, or give --redis <url>');
      const redis = 'redis://h:1';
      expect(parseServe(['--redis', redis], { REDIS_URL })).toMatchObject({ redis });
      expect(parseServe(['--help'], { REDIS_URL })).toEqual({ kind: 'help' });
    },
  );

  it.each(['', 'redis://h:1', 'rediss://:secret@h'])('leaves REDIS_URL=%j to the shop', (REDIS_URL) => {
    expect(parseServe([], { REDIS_URL })).toEqual({ kind: 'serve', port: 3_000, stock: 1_000 });
  });
});

function errorOf(args: string[], environment: NodeJS.ProcessEnv): UsageError {
  try {
    parseServe(args, environment);
  } catch (error) {
    return error as UsageError;
  }
  throw new Error('it was accepted');
}
