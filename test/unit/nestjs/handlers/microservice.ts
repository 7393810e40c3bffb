import { Controller, Injectable, Scope, UseGuards, UseInterceptors, type CanActivate } from '@nestjs/common';
import {
  ClientTCP,
  EventPattern,
  MessagePattern,
  Payload,
  Transport,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import type { Mutex } from 'bedrock-lock';
import {
  currentLease,
  DistributedLock,
  InjectLock,
  LockInterceptor,
  type BedrockLockModuleOptions,
} from 'nestjs-bedrock';
import { connect, type AddressInfo, type Server } from 'node:net';
import { defer, from, lastValueFrom, map, mergeMap, Observable, toArray } from 'rxjs';
import { bedrockOf, deferred } from '../app.js';
import { closing, listen, log } from './server.js';
import { take, troubledLocks, Troubles } from './troubles.js';

@Injectable()
class Guard implements CanActivate {
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async canActivate() {
    return true;
  }
}

@Injectable()
class Journal {
  readonly seen: unknown[] = [];
  readonly begun = deferred();
  readonly work = deferred();
}

@Controller()
class Handlers {
  constructor(
    @InjectLock('free') private readonly free: Mutex,
    private readonly troubles: Troubles,
    private readonly journal: Journal,
  ) {}

  async #depths(): Promise<number[]> {
    await this.free.lock();
    await this.free.lock();
    const depths = [this.free.depth];
    await this.free.unlock();
    await this.free.unlock();
    return [...depths, this.free.depth];
  }

  @DistributedLock({ lock: 'free', key: '{0}' })
  @MessagePattern('above')
  async above(@Payload() _id: string) {
    return currentLease()?.resource;
  }

  @MessagePattern('below')
  @DistributedLock({ lock: 'free', key: '{0}' })
  async below(@Payload() _id: string) {
    return currentLease()?.resource;
  }

  @MessagePattern('locked-observable')
  @DistributedLock('free')
  lockedObservable(): Observable<unknown> {
    return from([1, 2]).pipe(map((value) => [value, currentLease()?.resource]));
  }

  @MessagePattern('promise')
  promise() {
    return this.#depths();
  }

  @MessagePattern('observable')
  observable() {
    return from([1, 2]).pipe(mergeMap(() => this.#depths(), 1));
  }

  @MessagePattern('left')
  async left() {
    await this.free.lock();
    return [];
  }

  @MessagePattern('trouble')
  trouble(@Payload() name: string) {
    return this.troubles.raise(name);
  }

  @MessagePattern('late-trouble')
  lateTrouble(@Payload() name: string) {
    return defer(() => this.troubles.raise(name));
  }

  @UseInterceptors(LockInterceptor)
  @MessagePattern('by-hand')
  byHand(@Payload() name: string) {
    return this.troubles.raise(name);
  }

  @MessagePattern('guarded')
  @UseGuards(Guard)
  guarded() {}

  @EventPattern('event')
  @DistributedLock({ lock: 'free', key: '{0}' })
  async event(@Payload() _id: string) {
    this.journal.seen.push(currentLease()?.resource);
  }

  @EventPattern('event-of-trouble')
  eventOfTrouble(@Payload() name: string) {
    return this.troubles.raise(name);
  }

  @MessagePattern('wait')
  @DistributedLock({ lock: 'taken', waitMs: 60_000 })
  async wait() {
    this.journal.seen.push('granted');
  }

  @MessagePattern('hold')
  @DistributedLock('free')
  async hold() {
    this.journal.begun.open();
    await this.journal.work.opened;
    this.journal.seen.push(currentLease()?.signal.aborted);
  }
}

@Controller({ scope: Scope.REQUEST })
class Scoped {
  @MessagePattern('scoped')
  @DistributedLock('free')
  async scoped() {
    return currentLease()?.resource;
  }
}

const TCP = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } } as const;
const metadata = (options: Partial<BedrockLockModuleOptions>) => ({
  imports: [troubledLocks(options)],
  controllers: [Handlers, Scoped],
  providers: [Troubles, Journal],
});

function clientOf(server: Server) {
  const { port } = server.address() as AddressInfo;
  const client = closing(
    Object.assign(new ClientTCP({ host: '127.0.0.1', port }), {
      async close(this: ClientTCP) {
        ClientTCP.prototype.close.call(this);
      },
    }),
  );
  return {
    port,
    emit: (pattern: string, data: unknown) =>
      lastValueFrom(client.emit(pattern, data), { defaultValue: null }),
    send: (pattern: string, data: unknown = '') =>
      lastValueFrom(client.send<unknown>(pattern, data).pipe(toArray())),
  };
}

/** A microservice of its own. */
export async function microservice(options: Partial<BedrockLockModuleOptions> = {}) {
  const module = await Test.createTestingModule(metadata(options)).setLogger(log).compile();
  const app = closing(module.createNestMicroservice<MicroserviceOptions>({ ...TCP, logger: log }));
  await app.listen();
  await take(bedrockOf(app));
  const client = clientOf(app.unwrap<Server>());
  return { ...client, log, bedrock: bedrockOf(app).bedrock(), journal: app.get(Journal), app };
}

/** A microservice beside an HTTP server. */
export async function hybrid(inheritAppConfig: boolean, options: Partial<BedrockLockModuleOptions> = {}) {
  let server: Server | undefined;
  const { app, log } = await listen(metadata(options), {
    async prepare(app) {
      const connected = app.connectMicroservice<MicroserviceOptions>(TCP, { inheritAppConfig });
      await app.startAllMicroservices();
      server = connected.unwrap<Server>();
    },
  });
  await take(bedrockOf(app));
  return { ...clientOf(server!), log };
}

/** A client that sends one message as ClientTCP does, and can go away. */
export async function caller(port: number, pattern: string) {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const message = JSON.stringify({ pattern, data: '', id: '1' });
  socket.write(`${message.length}#${message}`);
  return async () => {
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy();
    await closed;
  };
}
