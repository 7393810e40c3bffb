import { credentials, loadPackageDefinition, status, type Client, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Controller, type INestMicroservice } from '@nestjs/common';
import { GrpcMethod, Transport, type MicroserviceOptions } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { DistributedLock } from 'nestjs-bedrock';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bedrockOf, locksOf, until } from '../app.js';
import { closeServers, closing, log } from './server.js';
import { IN_USE } from './troubles.js';

afterEach(closeServers);

const PROTO = fileURLToPath(new URL('shop.proto', import.meta.url));

@Controller()
class Handlers {
  runs = 0;

  @GrpcMethod('Shop', 'Busy')
  @DistributedLock({ lock: 'order', waitMs: 0 })
  async busy() {}

  @DistributedLock({ lock: 'order', waitMs: 60_000 })
  @GrpcMethod('Shop', 'Wait')
  async wait() {
    this.runs += 1;
    return {};
  }
}

type Call = (request: object, done: (error: ServiceError | null) => void) => { cancel(): void };
type Shop = Client & Record<'Busy' | 'Wait', Call>;

/** A port that was free a moment ago: the gRPC server of Nest does not tell which one it has chosen. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function shop() {
  const imports = [locksOf(['order'])];
  const module = await Test.createTestingModule({ imports, controllers: [Handlers] })
    .setLogger(log)
    .compile();
  const url = `127.0.0.1:${await freePort()}`;
  const options = { url, package: 'shop', protoPath: PROTO };
  const app: INestMicroservice = closing(
    module.createNestMicroservice<MicroserviceOptions>({ transport: Transport.GRPC, options, logger: log }),
  );
  await app.listen();
  const { shop } = loadPackageDefinition(loadSync(PROTO)) as unknown as {
    shop: { Shop: new (url: string, credentials: unknown) => Shop };
  };
  const client = new shop.Shop(url, credentials.createInsecure());
  closing({ close: async () => client.close() });
  return { client, handlers: app.get(Handlers), bedrock: bedrockOf(app) };
}

describe('on a gRPC service', () => {
  it('a lock error has the neutral message; codes of gRPC are for a filter to choose', async () => {
    const { client, bedrock } = await shop();
    await using _held = await bedrock.lock('order').acquire();
    const error = await new Promise<ServiceError | null>((resolve) => client.Busy({}, resolve));
    expect(error).toMatchObject({ code: status.UNKNOWN, details: IN_USE });
    expect(log.complaints).toEqual([]);
  });

  it('the wait of a call that was cancelled ends', async () => {
    const { client, handlers, bedrock } = await shop();
    await using _held = await bedrock.lock('order').acquire();
    const call = client.Wait({}, () => undefined);
    await until(() => bedrock.bedrock().stats().waiters === 1);
    call.cancel();
    await until(() => bedrock.bedrock().stats().waiters === 0);
    expect(handlers.runs).toBe(0);
  });
});
