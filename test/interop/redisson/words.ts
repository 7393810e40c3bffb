/** What Java answered, and when its call began and had ended: ms of CLOCK_MONOTONIC, as `sharedNow()`. */
export interface Reply<T> {
  readonly value: T;
  readonly beganAt: number;
  readonly endedAt: number;
}

/** What Java threw. */
export class JavaError extends Error {
  constructor(
    /** Simple name of the class. */
    readonly type: string,
    message: string,
  ) {
    super(`${type}: ${message}`);
  }
}

export interface Answer {
  /** Of the request. */
  readonly id: string;
  readonly outcome: Reply<string | undefined> | JavaError;
}

/** Undefined for a line that is not an answer: the JVM itself may write one. */
export function parseAnswer(line: string): Answer | undefined {
  const match = /^(\w+) (ok|error) (\d+) (\d+)(?: (\S*))?(?: (\S*))?$/.exec(line);
  if (match === null) return undefined;
  const [, id = '', outcome, began, ended, ...rest] = match;
  const [first, second] = rest.map((word) => (word === undefined ? undefined : decodeURIComponent(word)));
  return outcome === 'error'
    ? { id, outcome: new JavaError(first ?? '', second ?? '') }
    : { id, outcome: { value: first, beganAt: msOf(began), endedAt: msOf(ended) } };
}

/** ms of ns in decimal. */
export function msOf(nanos: string | undefined): number {
  return Number(nanos) / 1e6;
}
