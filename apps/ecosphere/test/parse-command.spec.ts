import { describe, expect, it } from '@jest/globals';
import { OPTION_NAMES, optionRow } from '../src/cli/option-table.js';
import { helpPage } from '../src/cli/help-page.js';
import { parseCommand } from '../src/cli/parse-command.js';
import { SCENARIO_NAMES } from '../src/cli/run-options.js';
import { UsageError } from '../src/cli/usage.error.js';

describe('the command line', () => {
  it('runs the flash sale in memory when nothing is asked for', () => {
    expect(parseCommand([], {})).toEqual({
      kind: 'run',
      scenarios: ['flash-sale'],
      backend: 'memory',
      isLocked: true,
    });
  });

  it('takes options in both forms, and several of them', () => {
    expect(parseCommand(['--backend=redis', '--processes', '4', '--no-lock', '--lease-ms=500'], {})).toEqual({
      kind: 'run',
      scenarios: ['flash-sale'],
      backend: 'redis',
      isLocked: false,
      processes: 4,
      leaseMs: 500,
    });
  });

  it('takes Redis for what needs it, without being told', () => {
    expect(parseCommand(['--scenario', 'stages'], {})).toMatchObject({ backend: 'redis' });
    const all = parseCommand(['--scenario', 'all', '--url', 'redis://h:1'], {});
    expect(all).toMatchObject({ backend: 'redis', url: 'redis://h:1', scenarios: SCENARIO_NAMES });
  });

  it.each([['--help'], ['-h']])('shows the help for %s, whatever else is given', (help) => {
    expect(parseCommand(['--processes', '4', help], {})).toEqual({ kind: 'help' });
  });

  it('names every option in the help, with its range', () => {
    for (const name of OPTION_NAMES) {
      expect(helpPage()).toContain(`--${name}`);
      const { range } = optionRow(name);
      if (range !== undefined) expect(helpPage()).toContain(`${range[0]} to ${range[1]}`);
    }
  });

  it.each([
    ['--foo', 'unknown option --foo', '--help'],
    ['-x', 'unknown option -x', '--help'],
    ['--buyer 3', 'unknown option --buyer', 'did you mean --buyers?'],
    ['sale', '"sale" belongs to no option', '--help'],
    ['-- --buyers', '"--buyers" belongs to no option', '--buyers'],
    ['--buyers', '--buyers needs a value', '--buyers <n>'],
    ['--buyers --stock 3', '--buyers needs a value', '--buyers <n>'],
    ['--buyers=', '--buyers needs a value', '--buyers <n>'],
    ['--backend', '--backend needs a value', 'memory | redis'],
    ['--no-lock=yes', '--no-lock takes no value', '--help'],
    ['--buyers 3 --buyers 4', '--buyers is given twice', '--help'],
    ['--buyers three', '--buyers must be a whole number from 1 to 50000; got "three"', '--help'],
    ['--buyers -5', 'got "-5"', '--help'],
    ['--buyers 0', 'got "0"', '--help'],
    ['--buyers 1.5', 'got "1.5"', '--help'],
    ['--buyers 1e3', 'got "1e3"', '--help'],
    ['--buyers 0x10', 'got "0x10"', '--help'],
    ['--buyers NaN', 'got "NaN"', '--help'],
    ['--buyers 99999999999999999999', 'got "99999999999999999999"', '--help'],
    ['--processes 65 --backend redis', '--processes must be a whole number from 1 to 64', '--help'],
    ['--lease-ms 99', '--lease-ms must be a whole number from 100 to 30000', '--help'],
    ['--backend mysql', '--backend must be one of memory, redis; got "mysql"', '--help'],
    ['--scenario stage', '--scenario must be one of', 'did you mean --scenario stages?'],
    ['--processes 2', 'the memory backend lives in one process', '--backend redis --processes 2'],
    ['--backend memory --scenario stages', '--backend memory cannot serve it', 'leave --backend out'],
    ['--backend memory --scenario all', '--backend memory cannot serve it', 'leave --backend out'],
    ['--url redis://h', '--url names a Redis server, but the locks live in memory', '--backend redis'],
    ['--backend redis --url http://h', '--url must be a Redis URL', 'redis://127.0.0.1:6379'],
    ['--backend redis --url h:6379', '--url must be a Redis URL', 'redis://127.0.0.1:6379'],
    ['--scenario lock-time --buyers 3', '--buyers does nothing in --scenario lock-time', 'flash-sale'],
    [
      '--scenario lock-delay --processes 1',
      '--processes does nothing in --scenario lock-delay',
      'contention',
    ],
    ['--scenario stages --no-lock', '--no-lock does nothing in --scenario stages', 'flash-sale'],
    ['--scenario all --no-lock', '--no-lock is for one scenario', '--scenario flash-sale --no-lock'],
    ['--backend redis --processes 4 --buyers 3', '4 processes need at least 4 buyers', 'raise --buyers'],
    ['--backend redis --processes 4 --purchases 3', '4 processes need at least 4 buyers', 'raise --buyers'],
    [
      '--scenario lock-delay --hold-ms 500',
      '--hold-ms 500 is shorter than two leases',
      'set --hold-ms to 600',
    ],
  ])('refuses "%s" and says what to do', (line, message, hint) => {
    const failure = errorOf(line.split(' '));
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure.message).toContain(message);
    expect(failure.hint).toContain(hint);
    expect(failure.message + failure.hint).not.toContain('\n');
  });

  it.each(['nonsense', 'http://x', '//:secret@h', ' '])(
    'refuses the environment REDIS_URL=%j',
    (REDIS_URL) => {
      const { message, hint } = errorOf(['--backend', 'redis'], { REDIS_URL });
      expect(message).toBe('REDIS_URL must be a Redis URL');
      expect(hint).toBe('set REDIS_URL to redis://127.0.0.1:6379, or give --url <url>');
    },
  );

  it.each([
    ['', ['--backend', 'redis']],
    ['rediss://h', ['--backend', 'redis']],
    ['nonsense', ['--backend', 'redis', '--url', 'redis://h:1']],
    ['nonsense', []],
    ['nonsense', ['--help']],
  ])('takes REDIS_URL=%j with %j', (REDIS_URL, args) => {
    expect(parseCommand(args, { REDIS_URL })).toEqual(parseCommand(args, {}));
  });
});

function errorOf(args: string[], environment: NodeJS.ProcessEnv = {}): UsageError {
  try {
    parseCommand(args, environment);
  } catch (error) {
    return error as UsageError;
  }
  throw new Error('it was accepted');
}
