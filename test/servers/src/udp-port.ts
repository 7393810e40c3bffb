import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/**
 * Binds a UDP port of 127.0.0.1, as a mark that all processes of this machine see: nothing is ever sent. The kernel gives the
 * port to one process at a time, whatever its user, and takes it back when that process ends, however it ends. A file
 * could do neither: its owner alone may remove it from a shared folder, and it stays when its owner is killed.
 * @returns what gives the port back, or undefined while another process has it
 */
export async function takeUdpPort(port: number): Promise<(() => Promise<void>) | undefined> {
  const socket = createSocket('udp4');
  const bound = once(socket, 'listening');
  // Exclusive: the workers of a cluster would share it.
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await bound;
  } catch (error) {
    socket.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  // A mark must not keep its process alive.
  socket.unref();
  return async () => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  };
}
