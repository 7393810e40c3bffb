import { Controller, Get, Injectable, Res, type ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { currentLease, DistributedLock, type LockInterceptorOptions } from 'nestjs-bedrock';
import { request } from 'node:http';
import type { Server, Socket } from 'node:net';
import { lastValueFrom, Observable, of } from 'rxjs';
import { bedrockOf, deferred, locksOf, start, until } from '../app.js';
import { listen } from './server.js';

@Injectable()
export class Orders {
  calls = 0;
  runs = 0;
  wasAborted: boolean | undefined;
  work = deferred();
  begun = deferred();
  failure: unknown;

  @DistributedLock({ lock: 'order', waitMs: 60_000 })
  async pay() {
    this.runs += 1;
    return [];
  }

  @DistributedLock({ lock: 'order', waitMs: 60_000 })
  stream(): Observable<unknown> {
    this.runs += 1;
    return of([]);
  }

  @DistributedLock({ lock: 'order', waitMs: 60_000 })
  @DistributedLock({ lock: 'account', waitMs: 60_000 })
  async both() {
    this.runs += 1;
    return [];
  }

  @DistributedLock({ lock: 'account', waitMs: 60_000 })
  async hold() {
    this.begun.open();
    await this.work.opened;
    this.runs += 1;
    this.wasAborted = currentLease()?.signal.aborted;
  }

  @DistributedLock({ lock: 'account', waitMs: 60_000 })
  async payUnderLock() {
    this.begun.open();
    return this.pay();
  }
}

@Controller()
class Handlers {
  constructor(private readonly orders: Orders) {}

  @Get('promise')
  promise() {
    return this.orders.pay();
  }

  @Get('observable')
  observable() {
    return this.orders.stream();
  }

  @Get('awaited-observable')
  async awaitedObservable() {
    return lastValueFrom(this.orders.stream());
  }

  @Get('generator')
  async *generator() {
    yield await this.orders.pay();
  }

  @Get('itself')
  @DistributedLock({ lock: 'order', waitMs: 60_000 })
  async itself() {
    this.orders.runs += 1;
  }

  @Get('several')
  several() {
    return this.orders.both();
  }

  @Get('hold')
  hold() {
    return this.orders.hold();
  }

  @Get('under-lock')
  underLock() {
    return this.orders.payUnderLock();
  }

  @Get('later')
  async later() {
    this.orders.calls += 1;
    await this.orders.begun.opened;
    try {
      return await this.orders.pay();
    } catch (error) {
      this.orders.failure = error;
      throw error;
    }
  }

  @Get('background')
  async background() {
    void this.orders.pay();
    return [];
  }

  @Get('background-later')
  async backgroundLater() {
    void this.orders.begun.opened.then(() => this.orders.pay());
    return [];
  }

  @Get('answer-first')
  async answerFirst(@Res() response: { send(body: unknown): void }) {
    response.send([]);
    await this.orders.pay();
  }
}

interface ShopOptions {
  readonly adapter: AbstractHttpAdapter;
  readonly interceptor?: LockInterceptorOptions;
  readonly providers?: NonNullable<ModuleMetadata['providers']>;
}

/** A server whose handlers lock, and a rival: another process on the same locks, in whose way stands what stays behind. */
export async function shop({ adapter, interceptor = {}, providers = [] }: ShopOptions) {
  const store = new MemoryStore();
  const backend = () => memory({ store });
  const locks = locksOf(['order', 'account'], { interceptor, backend });
  const metadata = { imports: [locks], controllers: [Handlers], providers: [Orders, ...providers] };
  const rival = bedrockOf(await start({ imports: [locksOf(['order', 'account'], { backend })] }));
  const served = await listen(metadata, { adapter });
  const sockets: Socket[] = [];
  (served.app.getHttpServer() as Server).on('connection', (socket: Socket) => sockets.push(socket));
  const stats = () => bedrockOf(served.app).bedrock().stats();
  return {
    ...served,
    rival,
    orders: served.app.get(Orders),
    stats,
    /** The server's side of the connections. */
    sockets,
    call(path: string) {
      const call = request({ host: '127.0.0.1', port: served.port, path: `/${path}` }).end();
      call.on('error', () => undefined);
      return call;
    },
  };
}

type Shop = Awaited<ReturnType<typeof shop>>;

/** Closes a connection, and waits until the server has seen it. */
export async function leave({ sockets }: Shop, call: { destroy(): unknown }): Promise<void> {
  const socket = sockets.at(-1)!;
  call.destroy();
  await until(() => socket.closed);
}

/** Waits until every departure that a handler waits for by now is listened to: those come in turn. */
export async function watching(adapter: AbstractHttpAdapter): Promise<void> {
  const other = await shop({ adapter });
  await using _held = await other.rival.lock('order').acquire();
  const call = other.call('promise');
  await until(() => other.stats().waiters === 1);
  const [socket] = other.sockets;
  const before = socket!.listenerCount('close');
  await until(() => socket!.listenerCount('close') > before);
  call.destroy();
  await until(() => other.stats().waiters === 0);
}
