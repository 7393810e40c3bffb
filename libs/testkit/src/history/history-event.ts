import type { LossReason, ReleaseOutcome } from 'bedrock-lock';

/** Times are ms of CLOCK_MONOTONIC, which all processes of one machine share. */
export interface HistoryEventFields {
  readonly at: number;
  /** The reporting process; unique within a history. */
  readonly process: string;
  readonly resource: string;
}

/** A caller requests the lock; it must have its answer by `deadline` (absent: no bound). */
export interface AskedEvent extends HistoryEventFields {
  readonly kind: 'asked';
  readonly call: string;
  readonly deadline?: number;
}

export interface AcquiredEvent extends HistoryEventFields {
  readonly kind: 'acquired';
  readonly call: string;
  readonly lease: string;
  /** 0: the lock has no fencing. */
  readonly token: number;
  readonly validUntil: number;
  /** The share of a lock with several holders; absent: the whole lock. */
  readonly share?: Share;
}

/** Permits held, and the number of permits. */
export interface Share {
  readonly units: number;
  readonly capacity: number;
}

/** The request ended with an error of this code. */
export interface FailedEvent extends HistoryEventFields {
  readonly kind: 'failed';
  readonly call: string;
  readonly code: string;
}

export interface RenewedEvent extends HistoryEventFields {
  readonly kind: 'renewed';
  readonly lease: string;
  readonly validUntil: number;
}

/** The holder checked its lease; `at` was taken before the check. */
export interface SeenEvent extends HistoryEventFields {
  readonly kind: 'seen';
  readonly lease: string;
  readonly isHeld: boolean;
}

/** The holder is about to call `release()`. */
export interface ReleasingEvent extends HistoryEventFields {
  readonly kind: 'releasing';
  readonly lease: string;
}

export interface ReleasedEvent extends HistoryEventFields {
  readonly kind: 'released';
  readonly lease: string;
  readonly outcome: ReleaseOutcome;
}

export interface LostEvent extends HistoryEventFields {
  readonly kind: 'lost';
  readonly lease: string;
  readonly reason: LossReason;
}

/** A process renewed or withdrew the grant of another holder; `outcome` is the driver's answer. */
export interface ForeignWriteEvent extends HistoryEventFields {
  readonly kind: 'meddled';
  readonly verb: 'renew' | 'withdraw';
  readonly outcome: string;
}

/** The event loop of the process was not free for the `lateMs` before `at`: blocked, starved, or stopped. */
export interface StalledEvent extends HistoryEventFields {
  readonly kind: 'stalled';
  readonly lateMs: number;
}

/** The process has ended normally; a killed process has no such event. */
export interface EndedEvent extends HistoryEventFields {
  readonly kind: 'ended';
}

export type HistoryEvent =
  | AskedEvent
  | AcquiredEvent
  | FailedEvent
  | RenewedEvent
  | SeenEvent
  | ReleasingEvent
  | ReleasedEvent
  | LostEvent
  | ForeignWriteEvent
  | StalledEvent
  | EndedEvent;

export type History = readonly HistoryEvent[];

/** One event per line. */
export function formatHistory(history: History): string {
  return history.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** @throws SyntaxError naming the line that is not an event */
export function parseHistory(text: string): HistoryEvent[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const event = parseLine(line);
    if (event === undefined) throw new SyntaxError(`line ${i + 1} is no event: ${line.slice(0, 80)}`);
    return [event];
  });
}

function parseLine(line: string): HistoryEvent | undefined {
  try {
    const event = JSON.parse(line) as Partial<HistoryEvent> | null;
    return typeof event?.at === 'number' && typeof event.kind === 'string'
      ? (event as HistoryEvent)
      : undefined;
  } catch {
    return undefined;
  }
}
