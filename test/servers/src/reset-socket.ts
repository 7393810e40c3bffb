import type { Socket } from 'node:net';

/**
 * Resets a connection at once. Node leaks the handle of a socket that is reset while its shutdown is in flight: the
 * system refuses, and the process never ends. So nothing may wait between the order and the end, and a socket that is
 * shutting down is closed only.
 */
export function resetSocket(socket: Socket): void {
  const isShuttingDown = socket.writableEnded && !socket.writableFinished;
  if (!isShuttingDown) socket.resetAndDestroy();
  socket.destroy();
}
