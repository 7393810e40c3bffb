import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memberFindings } from '../../../libs/cli/src/doctor/ensembles/member-findings.js';
import { CHECKS } from '../../../libs/cli/src/doctor/findings/finding.js';
import { measure, operationLimit } from '../../../libs/cli/src/doctor/findings/measure.js';
import {
  checkScripts,
  checkVersion,
  type SelfReport,
} from '../../../libs/cli/src/doctor/redis/settings-checks.js';

const PAGE = join(import.meta.dirname, '../../../docs/operations/doctor.md');

/** A server that says this of itself: no machine of a test has one so old. */
function saying(fields: Readonly<Record<string, string>>): SelfReport {
  const info = new Map(Object.entries(fields));
  return { info, number: (field: string) => Number(info.get(field) ?? NaN) };
}

describe('bedrock doctor', () => {
  it('has a section of the page for each check, in one order', () => {
    const sections = Array.from(readFileSync(PAGE, 'utf8').matchAll(/^## (.+)$/gm), ([, name]) => name);
    expect(sections).toEqual([...CHECKS]);
  });

  it.each([
    ['single', { redis_version: '5.0.14' }, 'problem', 'Redis 5.0.14: 6 or newer is needed'],
    ['single', { redis_version: '6.2.0' }, 'ok', 'Redis 6.2.0'],
    ['cluster', { redis_version: '6.2.0' }, 'problem', 'Redis 6.2.0: 7 or newer is needed on a cluster'],
    ['single', { redis_version: '7.2.4', valkey_version: '9.0.1' }, 'ok', 'Valkey 9.0.1'],
    ['single', {}, 'note', 'unknown, as are its settings: allow this user the command INFO'],
  ] as const)('on a server for %s that says %j finds: %s', (purpose, fields, state, text) => {
    expect(checkVersion(saying(fields), purpose)).toEqual({ check: 'version', state, text });
  });

  it.each([
    [{ redis_version: '7.0.0', 'cmdstat_script|flush': 'calls=9,usec=1', uptime_in_seconds: '86400' }, 'ok'],
    [
      { redis_version: '7.0.0', 'cmdstat_script|flush': 'calls=30,usec=1', uptime_in_seconds: '86400' },
      'problem',
    ],
    [{ redis_version: '7.4.0', evicted_scripts: '4', uptime_in_seconds: '86400' }, 'problem'],
    [{ redis_version: '6.2.0', uptime_in_seconds: '86400' }, 'note'],
  ])('of %j says: %s', (fields, state) => {
    expect(checkScripts(saying(fields))?.state).toBe(state);
  });

  it.each([
    [1, 1, ['note: a single member: locks stop while it is down']],
    [3, 3, ['ok: 3 members: the ensemble survives the loss of 1']],
    [4, 4, ['note: 4 members survive the loss of no more than 3 do, and need a larger majority']],
    [5, 5, ['ok: 5 members: the ensemble survives the loss of 2']],
    [undefined, 3, []],
  ])('of %s members of which %d are named says %j', (members, named, texts) => {
    const findings = memberFindings(members, named, 'hosts');
    expect(findings.map(({ state, text }) => `${state}: ${text}`)).toEqual(texts);
  });

  it('takes the clock from the quickest answer', async () => {
    let asked = 0;
    const ask = async (): Promise<number> => {
      asked += 1;
      // Slow answers tell a time that is seconds old.
      if (asked % 2 === 0) return Date.now();
      const told = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 30));
      return told - 4_000;
    };
    const [clock] = await measure(ask, operationLimit(1_000));
    expect(clock).toMatchObject({ check: 'clock', state: 'ok' });
  });
});
