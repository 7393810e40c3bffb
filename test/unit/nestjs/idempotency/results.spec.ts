import { Injectable, StreamableFile } from '@nestjs/common';
import { Exclude, Expose, Transform } from 'class-transformer';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { BedrockLockModule, Idempotent } from 'nestjs-bedrock';
import { of } from 'rxjs';
import { Readable } from 'node:stream';
import { closeAll, start } from '../app.js';

afterEach(closeAll);

const SECRET = '4929 1234 5678 9012';

class Hiding {
  readonly id = 1;

  @Exclude()
  readonly number = SECRET;
}

class Inheriting extends Hiding {}

class Masking {
  @Transform(({ value }: { value: string }) => value.slice(-4))
  readonly number = SECRET;
}

@Exclude()
class Showing {
  @Expose()
  readonly id = 1;

  readonly number = SECRET;
}

class Plain {
  readonly at = new Date(0);

  constructor(readonly id: number) {}
}

@Injectable()
class Results {
  runs = 0;
  next: () => unknown = () => undefined;

  @Idempotent({ idempotency: 'results', key: '{0}' })
  async get(_key: string): Promise<unknown> {
    this.runs += 1;
    return this.next();
  }
}

describe('the result of a method with @Idempotent()', () => {
  const started = async (next: () => unknown) => {
    const backend = new FaultyBackend(memory());
    const module = BedrockLockModule.forRoot({ backend: () => backend, idempotency: ['results'] });
    const results = (await start({ imports: [module], providers: [Results] })).get(Results);
    results.next = next;
    return { results, backend };
  };

  it.each<[string, () => unknown]>([
    ['hides a field', () => new Hiding()],
    ['inherits from one that does', () => [new Inheriting()]],
    ['masks a field', () => ({ card: new Masking() })],
    ['shows some of its fields', () => new Showing()],
  ])('is not stored, nor run again, where a class %s by class-transformer', async (_what, next) => {
    const { results, backend } = await started(next);
    expect(await results.get('a')).toEqual(next());
    await expect(results.get('a')).rejects.toMatchObject({ code: 'IDEMPOTENCY_RESULT' });
    expect(results.runs).toBe(1);
    expect(JSON.stringify(backend.callsOf('records.complete'))).not.toContain(SECRET);
  });

  it.each<[string, () => unknown]>([
    ['a stream', () => Readable.from(['a'])],
    ['a web stream', () => new ReadableStream()],
    ['a file', () => new StreamableFile(Buffer.from('a'))],
    ['an Observable', () => of(1)],
    ['a generator', () => (async function* () {})()],
    ['bytes', () => ({ bytes: Buffer.from('a') })],
    ['a Map', () => ({ map: new Map([[1, 2]]) })],
    ['a Set', () => new Set([1])],
  ])('is not stored, nor run again, where it has %s', async (_what, next) => {
    const { results } = await started(next);
    await results.get('a');
    await expect(results.get('a')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_RESULT',
      reason: 'notSerializable',
    });
    expect(results.runs).toBe(1);
  });

  it.each<[string, () => unknown, unknown]>([
    ['an object of a class without rules', () => new Plain(1), { id: 1, at: '1970-01-01T00:00:00.000Z' }],
    ['nothing', () => undefined, undefined],
    ['null in a list', () => [null, { none: undefined }], [null, {}]],
    [
      'an object without a prototype',
      () => Object.assign(Object.create(null) as object, { id: 1 }),
      { id: 1 },
    ],
  ])('is given again as JSON says it: %s', async (_what, next, replayed) => {
    const { results } = await started(next);
    await results.get('a');
    expect(await results.get('a')).toEqual(replayed);
    expect(results.runs).toBe(1);
  });
});
