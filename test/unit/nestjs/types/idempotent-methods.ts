import type { StreamableFile } from '@nestjs/common';
import { Idempotent } from 'nestjs-bedrock';

interface Order {
  readonly id: number;
}

interface Request {
  readonly user?: { readonly id: string };
}

export class Allowed {
  @Idempotent('a')
  async byHeader(_body: Order): Promise<number> {
    return 1;
  }

  @Idempotent({
    idempotency: 'a',
    scope: (request: Request) => request.user?.id,
    payload: (request: Request) => request,
  })
  async ofUser(_body: Order): Promise<void> {}

  @Idempotent({
    idempotency: 'a',
    scope: { header: 'X-Tenant' },
    storeIf: (_error, status) => status === 404,
  })
  async ofTenant(): Promise<void> {}

  @Idempotent({ idempotency: 'a', key: '{0.id}' })
  async template(_order: Order): Promise<void> {}

  @Idempotent({ idempotency: 'a', key: (order: Order) => order.id, scope: (order: Order) => order.id })
  async fewer(_order: Order, _count: number): Promise<void> {}

  @Idempotent({ idempotency: 'a', key: 'k' })
  async anything(): Promise<unknown> {
    return 1;
  }
}

export class Refused {
  // @ts-expect-error a plain value
  @Idempotent({ idempotency: 'a', key: '{0}' })
  once(_key: string): number {
    return 1;
  }

  // @ts-expect-error the key function wants another type than the method gets
  @Idempotent({ idempotency: 'a', key: (order: Order) => order.id })
  async otherType(_id: string): Promise<void> {}

  // @ts-expect-error the key function wants more arguments than the method gets
  @Idempotent({ idempotency: 'a', key: (order: Order, count: number) => `${order.id} ${count}` })
  async tooMany(_order: Order): Promise<void> {}

  // @ts-expect-error the payload function wants another type than the method gets
  @Idempotent({ idempotency: 'a', key: '{0}', payload: (order: Order) => order.id })
  async otherPayload(_id: string): Promise<void> {}

  // @ts-expect-error a handler's scope gets nothing but the request
  @Idempotent({ idempotency: 'a', scope: (request: Request, _more: string) => request.user?.id })
  async moreThanTheRequest(): Promise<void> {}

  // @ts-expect-error a key in the arguments has no header
  @Idempotent({ idempotency: 'a', key: '{0}', header: 'X-Key' })
  async both(_key: string): Promise<void> {}

  // @ts-expect-error a stream can be read once
  @Idempotent('a')
  async stream(): Promise<StreamableFile> {
    throw new Error('not called');
  }
}
