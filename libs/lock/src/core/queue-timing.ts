/**
 * The times of the queue in which processes and callers wait on a server, in ms. Scripts and
 * statements get them from here.
 */
export interface QueueTiming {
  /** A head that waits asks again after at least so long, jittered, in case a wake was lost: the sweep. */
  readonly sweepLeastMs: number;
  /** A head that waits asks again after so long at most. */
  readonly sweepMostMs: number;
  /** A head of the queue without a sign for so long counts as dead, and the next one is served. */
  readonly headLifeMs: number;
  /** Where arrival counts, a waiter also asks once and twice so long before the end of a lease: a fresh sign of life. */
  readonly signBeforeEndMs: number;
  /** A grant that a server makes without being asked lasts so long, until its first renewal. */
  readonly pushedLeaseMs: number;
  /**
   * Where a session keeps entries alive: an entry that its process has not asked for for so long is
   * removed by that process.
   */
  readonly entrySilenceMs: number;
  /** In a row of a database: a waiter without a sign for so long is dropped from the row. */
  readonly rowEntryLifeMs: number;
  /** The queue of processes on Redis is kept for so long after its last sign. */
  readonly queueLifeMs: number;
  /** The same of the queue of callers, which Redisson shares. */
  readonly fairQueueLifeMs: number;
  /** Redisson waits so long for each caller before it in the queue. */
  readonly redissonWaitMs: number;
}

export const QUEUE_TIMING: QueueTiming = Object.freeze({
  sweepLeastMs: 600,
  sweepMostMs: 900,
  headLifeMs: 1_000,
  signBeforeEndMs: 330,
  pushedLeaseMs: 1_000,
  entrySilenceMs: 1_300,
  rowEntryLifeMs: 3_000,
  queueLifeMs: 10_000,
  fairQueueLifeMs: 3_600_000,
  redissonWaitMs: 300_000,
});

type Inequality = readonly [less: keyof QueueTiming, more: keyof QueueTiming, otherwise: string];

/** Pairs whose first time must be less than the second, and what goes wrong otherwise. */
const INEQUALITIES: readonly Inequality[] = [
  ['sweepLeastMs', 'sweepMostMs', 'the sweep would have no jitter, and all processes would ask at once'],
  ['sweepMostMs', 'headLifeMs', 'a head that lives would count as dead between two signs, and lose its turn'],
  ['sweepMostMs', 'entrySilenceMs', 'a process would remove the entry of a caller that still waits'],
  [
    'signBeforeEndMs',
    'sweepLeastMs',
    'the last sign of a waiter would be no fresher at the end of a lease than at any other time',
  ],
  ['headLifeMs', 'rowEntryLifeMs', 'a row would drop a head before it counts as dead'],
  ['headLifeMs', 'queueLifeMs', 'a queue would end before its head counts as dead'],
  ['redissonWaitMs', 'fairQueueLifeMs', 'a dead waiter of Bedrock would count as one of Redisson'],
];

/** Two, a third of a head's life apart: to lose its turn, a process must then stand still for two thirds of that life. */
const SIGNS_BEFORE_END = 2;
/** A timer may be early: a sign that is due within this part of `signBeforeEndMs` has just been given. */
const TOLERANCE = 0.2;

/** The pause until a waiter's next sign, in ms. @param endsInMs until the end of the lease that it waits for */
export function pauseBeforeSignMs(endsInMs: number): number {
  const { signBeforeEndMs } = QUEUE_TIMING;
  const left = Math.floor(endsInMs / signBeforeEndMs - TOLERANCE);
  return endsInMs - Math.max(0, Math.min(SIGNS_BEFORE_END, left)) * signBeforeEndMs;
}

/**
 * I5, in ms. A lock is free within a lease and this time, after its holder or the head of its queue
 * has died.
 */
const RECOVERY_MS = 1_000;

/** The broken inequalities of such times, one line each; empty for {@link QUEUE_TIMING}. */
export function faultsOfQueueTiming(timing: QueueTiming): string[] {
  const broken = INEQUALITIES.filter(([less, more]) => !(timing[less] < timing[more])).map(
    ([less, more, otherwise]) => `${less} is not less than ${more}: ${otherwise}`,
  );
  const late = (['headLifeMs', 'pushedLeaseMs'] as const).filter((name) => !(timing[name] <= RECOVERY_MS));
  return [
    ...broken,
    ...late.map(
      (name) => `${name} is over ${RECOVERY_MS} ms: a dead waiter would keep the others out for longer`,
    ),
  ];
}
