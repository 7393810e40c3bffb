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
    expect(
      parseCommand(
        [
          '--backend=redis',
          '--processes',
          '4',
          '--no-lock',
          '--lease-ms=500',
          '--operation-timeout-ms',
          '3000',
        ],
        {},
      ),
    ).toEqual({
      kind: 'run',
      scenarios: ['flash-sale'],
      backend: 'redis',
      isLocked: false,
      processes: 4,
      leaseMs: 500,
      operationTimeoutMs: 3_000,
    });
  });

  it('takes Redis for what needs it, without being told', () => {
    expect(parseCommand(['--scenario', 'stages'], {})).toMatchObject({ backend: 'redis' });
    const all = parseCommand(['--scenario', 'all', '--url', 'redis://h:1'], {});
    expect(all).toMatchObject({ backend: 'redis', urls: ['redis://h:1'], scenarios: SCENARIO_NAMES });
  });

  it('takes Redis for the locks of the schemes, and a database beside it', () => {
    const database = 'mysql://root@h:3306';
    expect(parseCommand(['--scenario', 'schemes', '--requests', '20', '--database', database], {})).toEqual({
      kind: 'run',
      scenarios: ['schemes'],
      backend: 'redis',
      isLocked: true,
      requests: 20,
      databaseUrl: database,
    });
  });

  it('serves metrics on the usual port, or on another one, and for a while after the sale', () => {
    expect(parseCommand(['--telemetry'], {})).toMatchObject({ telemetry: { port: 9_464, lingerS: 0 } });
    const given = ['--telemetry', '--metrics-port', '0', '--linger', '60'];
    expect(parseCommand(given, {})).toMatchObject({ telemetry: { port: 0, lingerS: 60 } });
    expect(() => parseCommand(['--linger', '60'], {})).toThrow(UsageError);
    expect(() => parseCommand(['--metrics-port', '9000'], {})).toThrow(/without --telemetry/);
  });

  it('takes the servers of a combination one by one, or with commas between them', () => {
    const [a, b, c] = ['redis://a:1', 'redis://b:1', 'redis://c:1'];
    const combination = ['--backend', 'combination', '--strategy', 'majority', '--contention=sequential'];
    for (const given of [
      ['--url', a, '--url', b, '--url', c],
      ['--url', `${a},${b},${c}`],
      ['--url', a, '--url', `${b},${c}`],
    ]) {
      expect(parseCommand([...combination, ...given], {})).toEqual({
        kind: 'run',
        scenarios: ['flash-sale'],
        backend: 'combination',
        isLocked: true,
        urls: [a, b, c],
        strategy: 'majority',
        contention: 'sequential',
      });
    }
  });

  it('takes the number of nodes that are to be started, and chaos among them', () => {
    expect(parseCommand(['--backend', 'combination', '--nodes', '5', '--chaos'], {})).toEqual({
      kind: 'run',
      scenarios: ['flash-sale'],
      backend: 'combination',
      isLocked: true,
      nodes: 5,
      isChaotic: true,
    });
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
    ['--backend oracle', '--backend must be one of memory, redis, combination, zookeeper, etcd', '--help'],
    ['--backend etc', 'got "etc"', 'did you mean --backend etcd?'],
    ['--scenario stage', '--scenario must be one of', 'did you mean --scenario stages?'],
    ['--processes 2', 'the memory backend lives in one process', '--backend redis --processes 2'],
    ['--backend memory --scenario stages', '--backend memory cannot serve it', 'remove --backend'],
    ['--backend memory --scenario all', '--backend memory cannot serve it', 'remove --backend'],
    ['--url redis://h', '--url names a server, but the locks live in memory', '--backend redis'],
    ['--backend redis --url http://h', '--url must be a Redis URL', 'redis://127.0.0.1:6379'],
    ['--backend redis --url h:6379', '--url must be a Redis URL', 'redis://127.0.0.1:6379'],
    ['--backend etcd --url redis://h', '--url must be an etcd URL', '--url http://127.0.0.1:2379'],
    ['--backend mysql --url h:3306', '--url must be a MariaDB URL', '--url mysql://root@127.0.0.1:3306/'],
    ['--backend postgres --url mysql://h', '--url must be a PostgreSQL URL', '--url postgres://'],
    ['--backend zookeeper --url h:2181', '--url must be a ZooKeeper URL', '--url zookeeper://'],
    ['--backend etcd --url http://a,http://b', '--backend etcd takes one --url', '--backend combination'],
    ['--backend etcd --nodes 3', '--nodes does nothing with --backend etcd', 'add --backend combination'],
    ['--backend redis --url redis://a,redis://b', 'takes one --url', '--backend combination'],
    ['--backend redis --url redis://a --url redis://b', 'takes one --url', '--backend combination'],
    [
      '--backend combination --url redis://a',
      'at least two different --url',
      'redis://a:6379,redis://b:6379',
    ],
    ['--backend combination --url redis://a,redis://a', 'at least two different --url', '--url'],
    ['--backend combination --url redis://a,', '--url must be a Redis URL', 'redis://127.0.0.1:6379'],
    [
      '--backend combination --url redis://a,redis://b --nodes 3',
      '--nodes is for servers that',
      'remove one of the two',
    ],
    [
      '--backend combination --url redis://a,redis://b --chaos',
      '--chaos is for servers that',
      'remove one of the two',
    ],
    ['--backend combination --nodes 2', '--nodes must be a whole number from 3 to 9; got "2"', '--help'],
    [
      '--backend combination --strategy most',
      '--strategy must be one of leftmost, majority; got "most"',
      '--help',
    ],
    [
      '--backend combination --contention parallel',
      '--contention must be one of parallelFirst, sequential',
      '',
    ],
    ['--backend combination --scenario stages', '--backend combination cannot serve it', 'remove --backend'],
    ['--backend etcd --scenario schemes', 'keeps its locks on Redis', 'remove --backend'],
    ['--backend memory --scenario schemes', '--backend memory cannot serve it', 'set --backend redis'],
    ['--scenario schemes --requests 7', '--requests must be even', '--requests 6 or --requests 8'],
    ['--scenario schemes --requests 102', '--requests must be a whole number from 2 to 100', '--help'],
    [
      '--scenario schemes --database redis://h',
      '--database must be a MariaDB URL',
      '--database mysql://root@',
    ],
    ['--scenario schemes --database h:3306', '--database must be a MariaDB URL', '--database mysql://root@'],
    ['--scenario schemes --buyers 3', '--buyers does nothing in --scenario schemes', 'flash-sale'],
    ['--requests 50', '--requests does nothing in --scenario flash-sale', '--scenario schemes'],
    ['--database mysql://h', '--database does nothing in --scenario flash-sale', '--scenario schemes'],
    ['--backend combination --chaos --no-lock', '--chaos tests the locks', 'remove one of the two'],
    ['--backend combination --chaos --purchases 999', 'a sale of 999 purchases ends before', '1000 or more'],
    ['--backend combination --chaos --lease-ms 30000', 'a sale of 10000 purchases ends', '15750 or more'],
    [
      '--backend combination --scenario contention --chaos',
      '--chaos does nothing in --scenario contention',
      'flash-sale',
    ],
    ['--backend redis --chaos', '--chaos does nothing with --backend redis', 'add --backend combination'],
    ['--nodes 3', '--nodes does nothing with --backend memory', 'add --backend combination'],
    ['--operation-timeout-ms 3000', '--operation-timeout-ms does nothing with --backend memory', 'redis'],
    ['--backend redis --strategy majority', '--strategy does nothing with', 'add --backend combination'],
    [
      '--backend redis --contention sequential',
      '--contention does nothing with',
      'add --backend combination',
    ],
    ['--scenario lock-time --buyers 3', '--buyers does nothing in --scenario lock-time', 'flash-sale'],
    [
      '--scenario lock-delay --processes 1',
      '--processes does nothing in --scenario lock-delay',
      'contention',
    ],
    ['--scenario stages --no-lock', '--no-lock does nothing in --scenario stages', 'flash-sale'],
    ['--scenario all --no-lock', '--no-lock needs a single scenario', '--scenario flash-sale --no-lock'],
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
      for (const backend of ['redis', 'combination']) {
        const { message, hint } = errorOf(['--backend', backend], { REDIS_URL });
        expect(message).toBe('REDIS_URL must be a Redis URL');
        expect(hint).toContain('set REDIS_URL to redis://127.0.0.1:6379, or ');
      }
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
