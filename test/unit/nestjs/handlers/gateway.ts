import { Injectable, UseFilters, UseGuards, type CanActivate } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import {
  MessageBody,
  SubscribeMessage,
  WebSocketGateway,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type WsResponse,
} from '@nestjs/websockets';
import type { Mutex } from 'bedrock-lock';
import {
  currentLease,
  DistributedLock,
  InjectLock,
  LockExceptionFilter,
  type BedrockLockModuleOptions,
} from 'nestjs-bedrock';
import { defer, from, map, mergeMap, NEVER, Observable } from 'rxjs';
import { WebSocket } from 'ws';
import { bedrockOf, deferred, until } from '../app.js';
import { listen } from './server.js';
import { take, troubledLocks, Troubles } from './troubles.js';

@Injectable()
class Guard implements CanActivate {
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async canActivate() {
    return true;
  }
}

export const answer = (data: unknown): WsResponse => ({ event: 'answer', data });

@WebSocketGateway()
class Gateway implements OnGatewayConnection, OnGatewayDisconnect {
  readonly seen: unknown[] = [];
  readonly begun = deferred();
  readonly work = deferred();
  readonly clients: WebSocket[] = [];
  departures = 0;

  constructor(
    @InjectLock('free') private readonly free: Mutex,
    private readonly troubles: Troubles,
  ) {}

  handleConnection(client: WebSocket) {
    this.clients.push(client);
  }

  handleDisconnect() {
    this.departures += 1;
  }

  async #depths(): Promise<number[]> {
    await this.free.lock();
    await this.free.lock();
    const depths = [this.free.depth];
    await this.free.unlock();
    await this.free.unlock();
    return [...depths, this.free.depth];
  }

  @DistributedLock({ lock: 'free', key: '{0}' })
  @SubscribeMessage('above')
  async above(@MessageBody() _id: string) {
    return answer(currentLease()?.resource);
  }

  @SubscribeMessage('below')
  @DistributedLock({ lock: 'free', key: '{0}' })
  async below(@MessageBody() _id: string) {
    return answer(currentLease()?.resource);
  }

  @SubscribeMessage('locked-observable')
  @DistributedLock('free')
  lockedObservable(): Observable<WsResponse> {
    return from([1, 2]).pipe(map((value) => answer([value, currentLease()?.resource])));
  }

  @SubscribeMessage('promise')
  async promise() {
    return answer(await this.#depths());
  }

  @SubscribeMessage('observable')
  observable() {
    return from([1, 2]).pipe(
      mergeMap(() => this.#depths(), 1),
      map(answer),
    );
  }

  @SubscribeMessage('left')
  async left() {
    await this.free.lock();
    return answer('left');
  }

  @SubscribeMessage('left-open')
  leftOpen() {
    return defer(() => this.free.lock()).pipe(mergeMap(() => NEVER));
  }

  @SubscribeMessage('trouble')
  trouble(@MessageBody() name: string) {
    return this.troubles.raise(name);
  }

  @SubscribeMessage('late-trouble')
  lateTrouble(@MessageBody() name: string) {
    return defer(() => this.troubles.raise(name));
  }

  @SubscribeMessage('guarded')
  @UseGuards(Guard)
  guarded() {}

  @SubscribeMessage('guarded-with-filter')
  @UseFilters(LockExceptionFilter)
  @UseGuards(Guard)
  guardedWithFilter() {}

  @SubscribeMessage('wait')
  @DistributedLock({ lock: 'taken', waitMs: 60_000 })
  async wait() {
    this.seen.push('granted');
  }

  @SubscribeMessage('background')
  background() {
    void this.wait();
    return answer('begun');
  }

  @SubscribeMessage('background-later')
  backgroundLater() {
    void this.work.opened.then(() => this.wait());
    return answer('begun');
  }

  @SubscribeMessage('hold')
  @DistributedLock('free')
  async hold() {
    this.begun.open();
    await this.work.opened;
    this.seen.push(currentLease()?.signal.aborted);
  }
}

export async function gateway(options: Partial<BedrockLockModuleOptions> = {}) {
  const metadata = { imports: [troubledLocks(options)], providers: [Gateway, Troubles] };
  const { app, port, log } = await listen(metadata, {
    prepare: (app) => app.useWebSocketAdapter(new WsAdapter(app)),
  });
  await take(bedrockOf(app));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  const received: { event: string; data: unknown }[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as (typeof received)[0]));
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (event: string, data: unknown = '') => socket.send(JSON.stringify({ event, data }));
  return {
    app,
    log,
    socket,
    send,
    gateway: app.get(Gateway),
    bedrock: bedrockOf(app).bedrock(),
    async ask(event: string, data?: unknown, count = 1) {
      send(event, data);
      await until(() => received.length >= count);
      return received;
    },
  };
}
