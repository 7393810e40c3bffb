import { Controller, Injectable } from '@nestjs/common';
import {
  ClientTCP,
  Ctx,
  EventPattern,
  MessagePattern,
  Payload,
  Transport,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { memory } from 'bedrock-lock/memory';
import { BedrockLockModule, DistributedLock, Idempotent } from 'nestjs-bedrock';
import type { AddressInfo, Server } from 'node:net';
import { lastValueFrom } from 'rxjs';
import { deferred, until } from '../app.js';
import { closeServers, closing, log } from '../handlers/server.js';
import { SOON_MS } from '../handlers/troubles.js';

afterEach(closeServers);

interface Deduction {
  readonly operationId: string;
  readonly amount: number;
}

@Injectable()
class Shelf {
  amount = 10;
  isAsked = false;
  deliveries = 0;
  wait: Promise<unknown> = Promise.resolve();
}

@Controller()
class Handlers {
  constructor(private readonly shelf: Shelf) {}

  @MessagePattern('deduct')
  @Idempotent({ idempotency: 'operations', key: '{0.operationId}' })
  @DistributedLock('shelf')
  async deduct(@Payload() { amount }: Deduction) {
    this.shelf.isAsked = true;
    await this.shelf.wait;
    return { left: (this.shelf.amount -= amount) };
  }

  @Idempotent<[Deduction, unknown]>({
    idempotency: 'operations',
    key: ({ operationId }) => operationId,
    payload: ({ amount }: Deduction) => amount,
  })
  @EventPattern('deducted')
  async deducted(@Payload() { amount }: Deduction, @Ctx() _context: unknown) {
    this.shelf.deliveries += 1;
    this.shelf.amount -= amount;
  }
}

describe('a message handler with @Idempotent()', () => {
  async function service() {
    const module = await Test.createTestingModule({
      imports: [
        BedrockLockModule.forRoot({
          backend: () => memory(),
          locks: ['shelf'],
          idempotency: ['operations'],
          shutdownGraceMs: 0,
        }),
      ],
      controllers: [Handlers],
      providers: [Shelf],
    })
      .setLogger(log)
      .compile();
    const options = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } } as const;
    const app = closing(module.createNestMicroservice<MicroserviceOptions>({ ...options, logger: log }));
    await app.listen();
    const { port } = app.unwrap<Server>().address() as AddressInfo;
    const client = closing(
      Object.assign(new ClientTCP({ host: '127.0.0.1', port }), {
        async close(this: ClientTCP) {
          ClientTCP.prototype.close.call(this);
        },
      }),
    );
    const send = (data: Deduction) => lastValueFrom(client.send<unknown>('deduct', data));
    const emit = (data: Deduction) => lastValueFrom(client.emit('deducted', data), { defaultValue: null });
    return { send, emit, shelf: app.get(Shelf) };
  }

  it('answers a message that is delivered again as it did at first', async () => {
    const { send, shelf } = await service();
    for (let delivery = 0; delivery < 3; delivery++)
      expect(await send({ operationId: 'o-1', amount: 4 })).toEqual({ left: 6 });
    expect(await send({ operationId: 'o-2', amount: 1 })).toEqual({ left: 5 });
    expect(shelf.amount).toBe(5);
  });

  it('refuses another message under the same key, with the code', async () => {
    const { send, shelf } = await service();
    await send({ operationId: 'o-1', amount: 4 });
    await expect(send({ operationId: 'o-1', amount: 5 })).rejects.toMatchObject({
      statusCode: 422,
      code: 'IDEMPOTENCY_MISMATCH',
    });
    expect(shelf.amount).toBe(6);
  });

  it('says when to ask again while the first one is in flight', async () => {
    const { send, shelf } = await service();
    const { open, opened } = deferred();
    shelf.wait = opened;
    const first = send({ operationId: 'o-1', amount: 4 });
    await until(() => shelf.isAsked);
    await expect(send({ operationId: 'o-1', amount: 4 })).rejects.toMatchObject({
      statusCode: 409,
      code: 'IDEMPOTENCY_IN_FLIGHT',
      retryAfterMs: SOON_MS,
    });
    open();
    expect(await first).toEqual({ left: 6 });
  });

  it('handles an event once, however often it comes', async () => {
    const { emit, send, shelf } = await service();
    for (let delivery = 0; delivery < 3; delivery++) await emit({ operationId: 'e-1', amount: 4 });
    await emit({ operationId: 'e-2', amount: 1 });
    await until(() => shelf.deliveries === 2);
    expect(await send({ operationId: 'o-9', amount: 0 })).toEqual({ left: 5 });
    expect(shelf.deliveries).toBe(2);
  });
});
