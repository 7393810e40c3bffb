import { BedrockService } from 'nestjs-bedrock';
import type { AppSettings } from '../app.settings.js';
import { LockTimeService, type Cycle } from '../lock-time/lock-time.service.js';
import { count, duration, ratio } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import type { Report, Section } from '../report/report.js';
import { spreadOf } from '../report/statistics.js';
import type { Row } from '../report/table.js';
import { usualLeaseMs } from '../server/run-servers.js';
import { startApp } from '../start-app.js';
import type { ScenarioContext } from './scenario.js';

const COLD_ROUNDS = 10;

interface Timing {
  readonly cycles: readonly Cycle[];
  /** Requests to the server. */
  readonly commands: number;
  /** Round trips of a PING, in ms. */
  readonly pings: readonly number[];
}

/** One acquire and release, cold (the first of a started application) and warm. */
export async function lockTime({
  options,
  servers,
  serversLabel,
  terminal,
}: ScenarioContext): Promise<Report> {
  const { rounds = 2_000, leaseMs = usualLeaseMs(servers) } = options;
  printTitle(terminal, 'Lock time', [
    `one acquire and release at a time, locks ${serversLabel}`,
    `cold: the first of ${COLD_ROUNDS} applications; warm: ${count(rounds)} in a row`,
  ]);
  const settings = { servers, leaseMs };
  const cold: Timing[] = [];
  for (let i = 0; i < COLD_ROUNDS; i += 1) cold.push(await time(settings, 1));
  const warm = await time(settings, rounds, Math.min(rounds, 200));
  const cycles = [...cold, warm].flatMap((timing) => timing.cycles);
  const sound = cycles.filter(({ isSound }) => isSound).length;
  const isGrowing = cycles.every(({ token }, i) => i === 0 || token > cycles[i - 1]!.token);
  return {
    sections: [
      {
        head: ['', 'acquire p50', 'p99', 'release p50', 'p99', 'cycle p50', 'p99', 'max'],
        right: [1, 2, 3, 4, 5, 6, 7],
        rows: [
          row(
            'cold',
            cold.flatMap((timing) => timing.cycles),
          ),
          row('warm', warm.cycles),
        ],
      },
      ...(servers.kind === 'memory' ? [] : [trips(warm)]),
    ],
    checks: [
      {
        isMet: sound === cycles.length,
        text: `${count(sound)} of ${count(cycles.length)} leases were held, then released`,
      },
      { isMet: isGrowing, text: `the fencing tokens grew ${isGrowing ? 'each time' : 'NOT each time'}` },
    ],
    verdict: `lock time: cycles ${cycles.length}, sound ${sound}`,
  };
}

async function time(settings: AppSettings, rounds: number, pings = 0): Promise<Timing> {
  const app = await startApp(settings);
  try {
    const { backend } = app.get(BedrockService).bedrock();
    const service = app.get(LockTimeService);
    const commandsBefore = backend.commands;
    const cycles: Cycle[] = [];
    for (let i = 0; i < rounds; i += 1) cycles.push(await service.cycle());
    const commands = backend.commands - commandsBefore;
    const roundTrips: number[] = [];
    for (let i = 0; i < pings; i += 1) roundTrips.push(await backend.ping());
    return { cycles, commands, pings: roundTrips };
  } finally {
    await app.close();
  }
}

function trips({ commands, cycles, pings }: Timing): Section {
  return {
    rows: [
      ['commands per warm cycle', ratio(commands / cycles.length)],
      ['round trip of a PING', `p50 ${duration(spreadOf(pings).p50)}`],
    ],
  };
}

function row(name: string, cycles: readonly Cycle[]): Row {
  const acquire = spreadOf(cycles.map(({ acquireMs }) => acquireMs));
  const release = spreadOf(cycles.map(({ releaseMs }) => releaseMs));
  const whole = spreadOf(cycles.map(({ acquireMs, releaseMs }) => acquireMs + releaseMs));
  const figures = [acquire.p50, acquire.p99, release.p50, release.p99, whole.p50, whole.p99, whole.max];
  return [name, ...figures.map(duration)];
}
