import type { INestApplication } from '@nestjs/common';
import { BedrockService } from 'nestjs-bedrock';
import { lastValueFrom, toArray } from 'rxjs';
import { InProcessTransport } from './in-process.transport.js';
import { StockService } from './stock.service.js';

export const CALLS = 50;

/** Calls the decorated methods: 50 at once, nested, as an Observable, and skipped because the lock is busy. */
export async function holdSale(app: INestApplication) {
  const stock = app.get(StockService);
  const item = { id: 'a1' };
  const nested = await Promise.all(Array.from({ length: CALLS }, () => stock.sell(item)));
  return {
    left: stock.left,
    crowd: stock.crowd,
    nested: nested.filter(Boolean).length,
    report: await lastValueFrom(stock.report().pipe(toArray())),
    audits: await Promise.all([stock.auditByHand(), stock.auditOnce()]),
  };
}

/** What clients get over HTTP and as a message, while the lock that they need is free, and while it is busy. */
export async function askShop(app: INestApplication) {
  const transport = new InProcessTransport();
  app.connectMicroservice({ strategy: transport }, { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const free = [await (await fetch(`${url}/audit`)).text(), await transport.ask('audit')];
  const { status: health } = (await (await fetch(`${url}/health`)).json()) as { status: string };

  const lease = await app.get(BedrockService).lock('audit').acquire();
  const response = await fetch(`${url}/audit`);
  const { code } = (await response.json()) as { code: string };
  const message = await transport.ask('audit').catch((error: { code: string }) => error.code);
  await lease.release();
  const retryAfter = Number(response.headers.get('retry-after')) > 0;
  const busy = { status: response.status, retryAfter, code, message };

  const refused = await fetch(`${url}/orders`, { method: 'POST' });
  const { code: why } = (await refused.json()) as { code: string };
  const [type] = refused.headers.get('content-type')!.split(';');

  const orders: unknown[] = [];
  const headers = { 'Idempotency-Key': `"order at ${url}"` };
  for (let turn = 0; turn < 2; turn += 1) {
    const order = await fetch(`${url}/orders`, { method: 'POST', headers });
    const isReplay = order.headers.get('idempotent-replayed') === 'true';
    orders.push([order.status, await order.text(), order.headers.get('x-orders'), isReplay]);
  }
  return { free, health, busy, keyless: [type, why], orders };
}
