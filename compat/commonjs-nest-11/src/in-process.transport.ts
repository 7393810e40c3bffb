import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';

/** A transport without a network: it hands messages to their handlers. */
export class InProcessTransport extends Server implements CustomTransportStrategy {
  listen(started: () => void): void {
    started();
  }

  /** @throws what the handler answers with when it fails */
  async ask(pattern: string): Promise<unknown> {
    const handler = this.getHandlerByPattern(pattern);
    return firstValueFrom(this.transformToObservable(await handler?.(undefined)));
  }

  close(): void {}

  on(): void {}

  unwrap<T>(): T {
    return this as never;
  }
}
