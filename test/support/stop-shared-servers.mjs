/** Jest's `globalTeardown`: ends what the preflight has started. */
import { started } from './preflight.mjs';

export default async function stopSharedServers() {
  await Promise.all(started.splice(0).map((server) => server.stop()));
}
