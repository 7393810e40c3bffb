import { describe, expect, it } from '@jest/globals';
import { helpPage } from '../../../bench/src/cli/help-page.js';
import { parseCommand } from '../../../bench/src/cli/parse-command.js';
import { UsageError } from '../../../bench/src/cli/usage-error.js';
import { LIBRARY_NAMES } from '../../../bench/src/libraries/catalogue.js';
import { SCENARIO_NAMES } from '../../../bench/src/scenarios/names.js';
import { SCENARIOS } from '../../../bench/src/scenarios/scenarios.js';

const everything = {
  kind: 'run',
  scenarios: undefined,
  libraries: undefined,
  rounds: undefined,
  isJson: false,
  isChecked: false,
  writesDocs: false,
};

describe('the command line of the bench', () => {
  it('runs everything when nothing is asked for', () => {
    expect(parseCommand([], {})).toEqual(everything);
    expect(SCENARIOS.map(({ name }) => name)).toEqual(SCENARIO_NAMES);
  });

  it('takes scenarios and libraries by comma and by repetition, in any case, in the order of the bench', () => {
    const line = '--scenario s7,S3 --scenario=flash-sale --library verrou,bedrock --rounds 9 --json --check';
    expect(parseCommand(line.split(' '), {})).toEqual({
      ...everything,
      scenarios: ['S3', 'S7', 'flash-sale'],
      libraries: ['bedrock', 'verrou'],
      rounds: 9,
      isJson: true,
      isChecked: true,
    });
  });

  it.each([['--help'], ['-h']])('shows the help for %s', (help) => {
    expect(parseCommand(['--json', help], {})).toEqual({ kind: 'help' });
    for (const name of SCENARIO_NAMES) expect(helpPage()).toContain(`  ${name} `);
    for (const name of LIBRARY_NAMES) expect(helpPage()).toMatch(new RegExp(`[ ,]${name}[,\n]`));
  });

  it.each([
    ['--foo', 'unknown option --foo', '--help'],
    ['-x', 'unknown option -x', '--help'],
    ['--scenarios S1', 'unknown option --scenarios', 'did you mean --scenario?'],
    ['S3', '"S3" belongs to no option', 'did you mean --scenario S3?'],
    ['everything', '"everything" belongs to no option', '--help'],
    ['--scenario', '--scenario needs a value', '--help'],
    ['--scenario --json', '--scenario needs a value', '--help'],
    ['--scenario=', '--scenario needs a value', '--help'],
    ['--scenario S1,', '--scenario must be one of S1, S2', '--help'],
    ['--scenario S9', 'got "S9"', 'did you mean --scenario S1?'],
    ['--library redlok-4', 'got "redlok-4"', 'did you mean --library redlock-4?'],
    ['--json=yes', '--json takes no value', '--help'],
    ['--check=1', '--check takes no value; got "1"', '--help'],
    ['--help=1', '--help takes no value; got "1"', '--help'],
    ['--rounds 0', 'from 1 to 1000; got "0"', '--help'],
    ['--rounds 1.5', 'got "1.5"', '--help'],
    ['--rounds 1e3', 'got "1e3"', '--help'],
    ['--rounds -1', 'got "-1"', '--help'],
    ['--rounds many', 'got "many"', '--help'],
    ['--rounds 1001', 'got "1001"', '--help'],
    ['--rounds 1 --rounds 2', '--rounds is given twice', '--help'],
    ['--write-docs --scenario S1', '--write-docs publishes a whole run', 'remove --scenario'],
    ['--write-docs --library verrou', '--write-docs publishes a whole run', '--library'],
    [
      '--write-docs --rounds 9',
      '--write-docs publishes a whole run',
      'remove --scenario, --library and --rounds',
    ],
    ['--write-docs --json', 'exclude each other', 'run the bench twice'],
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
      const { message, hint } = errorOf([], { REDIS_URL });
      expect(message).toBe('REDIS_URL must be a Redis URL');
      expect(hint).toBe('set REDIS_URL to redis://127.0.0.1:6379, or unset it');
      expect(parseCommand(['--help'], { REDIS_URL })).toEqual({ kind: 'help' });
    },
  );

  it.each(['', 'redis://h:1', 'rediss://:secret@h'])('takes REDIS_URL=%j', (REDIS_URL) => {
    expect(parseCommand([], { REDIS_URL })).toEqual(everything);
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
