import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const JOBS_APP = fileURLToPath(new URL('jobs-app.mjs', import.meta.url));
const SHIFTED_CLOCK = new URL('shifted-clock.mjs', import.meta.url).href;
/** How far the clocks of the processes are ahead, in ms. */
const SHIFTS = [0, 100, 200] as const;
type Shift = (typeof SHIFTS)[number];

interface Report {
  readonly shift: Shift;
  readonly job: string;
  readonly tick: number;
  readonly what: string;
}

let server: RunningServer;
const reports: Report[] = [];
const processes = new Map<Shift, ChildProcess>();

beforeAll(async () => {
  server = await startRedis();
  for (const shift of SHIFTS) {
    const child = fork(JOBS_APP, [server.url], {
      env: { ...process.env, CLOCK_SHIFT_MS: String(shift) },
      execArgv: ['--import', SHIFTED_CLOCK],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    processes.set(shift, child);
    createInterface(child.stdout!).on('line', (line) => {
      const [job = '', tick, what = ''] = line.split(' ');
      reports.push({ shift, job, tick: Number(tick), what });
    });
  }
});
afterAll(async () => {
  for (const child of processes.values()) await kill(child);
  await server.stop();
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

const TOLD = { withinMs: 15_000 };

const ticksOf = (wanted: Partial<Report>): number[] =>
  reports
    .filter((report) =>
      Object.entries(wanted).every(([field, value]) => report[field as keyof Report] === value),
    )
    .map(({ tick }) => tick);

/** The next `count` ticks after now, when all processes have told about them. */
async function nextTicks(count: number, alive: readonly Shift[]): Promise<number[]> {
  const tells = (shift: Shift) => ticksOf({ shift }).length > 0;
  await eventually('all processes tell', () => alive.every(tells), TOLD);
  const first = Math.max(...reports.map(({ tick }) => tick)) + 1;
  const ticks = Array.from({ length: count }, (_, index) => first + index);
  const isPast = (shift: Shift) => ticksOf({ shift }).some((tick) => tick >= first + count);
  await eventually('all processes are past the ticks', () => alive.every(isPast), TOLD);
  return ticks;
}

const within = (all: readonly number[], ticks: readonly number[]) =>
  all.filter((tick) => ticks.includes(tick)).sort((one, other) => one - other);

describe('scheduled jobs of three processes whose clocks differ by up to 200 ms', () => {
  it('run once per tick, whether they are shorter or longer than the clocks differ', async () => {
    const ticks = await nextTicks(3, SHIFTS);
    expect(within(ticksOf({ job: 'guarded', what: 'ran' }), ticks)).toEqual(ticks);
    expect(within(ticksOf({ job: 'long', what: 'ran' }), ticks)).toEqual(ticks);
    expect(within(ticksOf({ job: 'guarded', what: 'skipped' }), ticks)).toHaveLength(2 * ticks.length);
  });

  it('run more often without holdAtLeastMs: the clocks do differ', () => {
    const ran = ticksOf({ job: 'careless', what: 'ran' });
    expect(ran.length).toBeGreaterThan(new Set(ran).size);
  });

  it('go on in the next tick when the process that ran one is killed', async () => {
    // The one that is ahead comes first in every tick.
    const first = processes.get(200)!;
    first.send('stall');
    await eventually('a job has stalled', () => ticksOf({ what: 'stalled' }).length > 0, TOLD);
    await kill(first);
    const [killed = 0] = ticksOf({ what: 'stalled' });
    const ticks = await nextTicks(2, [0, 100]);
    const since = Array.from({ length: ticks.at(-1)! - killed }, (_, index) => killed + 1 + index);
    expect(ticksOf({ job: 'guarded', what: 'stalled' })).toEqual([killed]);
    expect(within(ticksOf({ job: 'guarded', what: 'ran' }), [killed, ...since])).toEqual(since);
  });
});
