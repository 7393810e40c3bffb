import { Injectable } from '@nestjs/common';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { lastValueFrom, Observable, of, Subject, toArray } from 'rxjs';
import { bedrockOf, locksOf, start } from '../app.js';

/** Every value of a source. */
export const collect = <T>(source: Observable<T>) => lastValueFrom(source.pipe(toArray()));

const PassThrough = (_target: object, _key: string, descriptor: PropertyDescriptor) => {
  const inner = descriptor.value as (...args: unknown[]) => unknown;
  descriptor.value = function (this: object, ...args: unknown[]) {
    return inner.apply(this, args);
  };
};

/** Methods with streams of every kind, all under one lock. */
@Injectable()
export class Feeds {
  runs = 0;

  @DistributedLock('feed')
  declared(source: Observable<unknown>): Observable<unknown> {
    this.runs += 1;
    return source;
  }

  @DistributedLock('feed')
  subject(): Subject<unknown> {
    return new Subject();
  }

  @DistributedLock({ lock: 'feed', returns: 'observable' })
  told(source: Observable<unknown>) {
    return source;
  }

  @DistributedLock({ lock: 'feed', onBusy: 'skip' })
  skipping(source: Observable<unknown>): Observable<unknown> {
    return source;
  }

  @DistributedLock({ lock: 'feed', onBusy: () => of('a', 'b') })
  instead(source: Observable<unknown>): Observable<unknown> {
    return source;
  }

  @DistributedLock({ lock: 'feed', onLost: ({ code }) => code })
  replaced(source: Observable<unknown>): Observable<unknown> {
    return source;
  }

  @DistributedLock('feed')
  async surprising(source: Observable<unknown>): Promise<Observable<unknown>> {
    return source;
  }

  @DistributedLock('feed')
  async *lines(body: () => AsyncIterable<unknown>): AsyncGenerator<unknown, unknown, unknown> {
    this.runs += 1;
    return (yield* body()) as unknown;
  }

  @DistributedLock({ lock: 'feed', returns: 'asyncIterator' })
  delegated(body: () => AsyncIterableIterator<unknown>): AsyncIterableIterator<unknown> {
    return body();
  }

  @DistributedLock('feed')
  undeclared(body: () => AsyncIterableIterator<unknown>): AsyncIterableIterator<unknown> {
    return body();
  }

  @DistributedLock({ lock: 'feed', onBusy: 'skip' })
  async *skippingLines(): AsyncGenerator<unknown> {
    yield 'never';
  }

  @DistributedLock({ lock: 'feed', onLost: ({ code }) => [code] })
  async *replacedLines(): AsyncGenerator<unknown> {
    yield 1;
    yield 2;
  }

  @DistributedLock('other')
  @PassThrough
  @DistributedLock('feed')
  async *wrappedLines(): AsyncGenerator<unknown> {
    yield currentLease()?.resource;
  }

  @DistributedLock({ lock: 'feed', onBusy: () => ['a', 'b'] })
  async *insteadLines(): AsyncGenerator<unknown> {
    yield 'never';
  }
}

export async function feeds() {
  const app = await start({ imports: [locksOf(['feed', 'other'])], providers: [Feeds] });
  const lock = bedrockOf(app).lock('feed');
  const bedrock = bedrockOf(app).bedrock();
  const isFree = async () => (await lock.inspect()).length === 0;
  const stats = () => bedrock.stats();
  return { service: app.get(Feeds), lock, bedrock, isFree, stats };
}
