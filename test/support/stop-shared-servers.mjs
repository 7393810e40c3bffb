/** Jest's `globalTeardown`: stops the servers of the preflight. */
import { started } from './preflight.mjs';

export default async function stopSharedServers() {
  await Promise.all(started.splice(0).map((server) => server.stop()));
}
