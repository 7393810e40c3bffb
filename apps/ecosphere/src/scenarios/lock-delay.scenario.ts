import { observeHold, type Observation } from '../lock-delay/observe-hold.js';
import { duration } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import type { Check, Report, Section } from '../report/report.js';
import { startApp } from '../start-app.js';
import type { ScenarioContext } from './scenario.js';

/** A lock that is held for several leases: renewed, it is never lost; with a fixed lease, it is. */
export async function lockDelay({
  options,
  servers,
  serversLabel,
  terminal,
}: ScenarioContext): Promise<Report> {
  const { leaseMs = 300 } = options;
  const { holdMs = 5 * leaseMs } = options;
  printTitle(terminal, 'Lock delay', [
    `work of ${holdMs} ms on a lease of ${leaseMs} ms, locks ${serversLabel}`,
    `a second application tries to acquire the lock every ${leaseMs / 10} ms`,
  ]);
  const holder = await startApp({ servers, leaseMs, label: 'holder' });
  const contender = await startApp({ servers, leaseMs, label: 'rival' });
  try {
    const input = { holder, contender, leaseMs };
    const renewed = await observeHold({ ...input, holdMs, isRenewed: true });
    const fixed = await observeHold({ ...input, holdMs: 2 * leaseMs, isRenewed: false });
    return {
      sections: [table(renewed, fixed)],
      checks: [...checksOfRenewed(renewed), ...checksOfFixed(fixed)],
      verdict: `lock delay: held ${holdMs} ms on leases of ${leaseMs} ms, renewals ${renewed.renewals}, lost ${renewed.losses}`,
    };
  } finally {
    await Promise.all([holder.close(), contender.close()]);
  }
}

function table(renewed: Observation, fixed: Observation): Section {
  const rows: [string, (seen: Observation) => string][] = [
    ['worked for', (seen) => duration(seen.doneAfterMs)],
    ['renewals', (seen) => String(seen.renewals)],
    ['isHeld answered yes', (seen) => `${seen.looksHeld} of ${seen.looks} times`],
    ['lost', (seen) => (seen.losses === 0 ? 'never' : 'yes')],
    ['rival refused', (seen) => `${seen.contenderRefused} times`],
    [
      'rival got in after',
      (seen) => (seen.contenderInAfterMs === undefined ? '-' : duration(seen.contenderInAfterMs)),
    ],
  ];
  return {
    head: ['', 'renewed lease', 'fixed lease'],
    right: [1, 2],
    rows: rows.map(([name, show]) => [name, show(renewed), show(fixed)]),
  };
}

function checksOfRenewed(seen: Observation): Check[] {
  const { renewals, losses, looks, looksHeld, contenderRefused, contenderInAfterMs, doneAfterMs } = seen;
  const isKeptOut =
    contenderRefused > 0 && contenderInAfterMs !== undefined && contenderInAfterMs > doneAfterMs;
  return [
    { isMet: renewals > 0, text: `the lease was renewed ${renewals} times` },
    {
      isMet: losses === 0 && !seen.isLossTold && looksHeld === looks,
      text: `the lock was lost ${losses} times and held at ${looksHeld} of ${looks} checks`,
    },
    {
      isMet: isKeptOut,
      text: `the rival got in ${isKeptOut ? 'after the work, not before' : 'TOO EARLY, or never'}`,
    },
  ];
}

function checksOfFixed({ isLossTold, contenderInAfterMs, doneAfterMs }: Observation): Check[] {
  const isIn = contenderInAfterMs !== undefined && contenderInAfterMs < doneAfterMs;
  return [
    {
      isMet: isLossTold && isIn,
      text: `without renewal the rival ${isIn ? 'got in when the lease ended' : 'did NOT get in'}, and the caller got ${isLossTold ? 'LOCK_LOST' : 'NO error'}`,
    },
  ];
}
