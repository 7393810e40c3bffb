import { Bedrock, type Backend } from 'bedrock-lock';
import { randomUUID } from 'node:crypto';
import { repeat, type Figures } from './repeat.js';

export interface BenchSettings {
  readonly prefix: string;
  /** Of each scenario. */
  readonly durationMs: number;
  readonly callers: number;
}

/** Runs one scenario after the other. @param backends two, each with connections of its own; they stay open */
export async function* scenarios(
  [backend, other]: readonly [Backend, Backend],
  { prefix, durationMs, callers }: BenchSettings,
): AsyncGenerator<Figures> {
  const own = `${prefix}bedrock-bench:${randomUUID()}:`;
  const [bedrock, second] = [backend, other].map((one) => new Bedrock({ backend: one, prefix: own })) as [
    Bedrock,
    Bedrock,
  ];
  const cycle = (of: Bedrock, name: string) => {
    const lock = of.mutex(name, { waitMs: Infinity });
    return () => lock.run(() => undefined);
  };
  const times = <T>(make: (at: number) => T): readonly T[] =>
    Array.from({ length: callers }, (_, at) => make(at));
  yield repeat('round trip', durationMs, [async () => void (await backend.ping())]);
  yield repeat('one lock, 1 caller', durationMs, [cycle(bedrock, 'alone')]);
  yield repeat(
    `${callers} locks, ${callers} callers`,
    durationMs,
    times((at) => cycle(bedrock, `own-${at}`)),
  );
  yield repeat(
    `one lock, ${callers} callers in one process`,
    durationMs,
    times(() => cycle(bedrock, 'shared')),
  );
  yield repeat('one lock, 2 backends taking turns', durationMs, [
    cycle(bedrock, 'turns'),
    cycle(second, 'turns'),
  ]);
}
