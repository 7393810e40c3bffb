import { takeUdpPort } from './udp-port.js';

/**
 * Makes a port ours for as long as this process lives. The port of a server that was killed is free until it comes
 * back: without this another test's server could move in, and clients would take it for the one they have lost.
 * The servers of the tests listen on TCP: the UDP port of the same number is the reservation.
 */
export async function reserve(port: number): Promise<boolean> {
  return (await takeUdpPort(port)) !== undefined;
}
