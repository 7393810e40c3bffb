import type { LossReason, ReleaseOutcome } from 'bedrock-lock';

/** Times are ms of CLOCK_MONOTONIC, which all processes of one machine share. */
interface HistoryEventFields {
  readonly at: number;
  /** Who tells it: unique per process of a history. */
  readonly process: string;
  readonly resource: string;
}

/** A caller asks for the lock; it must have its answer by `deadline` (absent: no bound). */
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
  /** What of it the lease has, where several hold it beside each other; absent: all of it. */
  readonly share?: Share;
}

/** So many permits of those that there are. */
export interface Share {
  readonly units: number;
  readonly capacity: number;
}

/** The answer to `asked` was an error, of this code. */
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

/** The holder looked at its lease; `at` was taken before it looked. */
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

/** Somebody renewed or withdrew a grant that was not its own; `outcome` is the driver's answer. */
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

/** The process has come to its end in good order; one that was killed has no such event. */
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

/** @throws SyntaxError naming the line that is no event */
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
