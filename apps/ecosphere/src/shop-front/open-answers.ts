import { Injectable, type NestMiddleware, type BeforeApplicationShutdown } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Requests without an answer yet. When the shop closes, they and all later ones are answered with `Connection: close`:
 * a server waits for its kept-alive connections, and a client that keeps one would ask a closed shop.
 */
@Injectable()
export class OpenAnswers implements NestMiddleware, BeforeApplicationShutdown {
  readonly #open = new Set<ServerResponse>();
  #isClosing = false;

  use(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
    if (this.#isClosing) response.setHeader('Connection', 'close');
    next();
  }

  /** Runs before the locks reject their waiters, and before the server closes. */
  beforeApplicationShutdown(): void {
    this.#isClosing = true;
    for (const response of this.#open) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }
}
