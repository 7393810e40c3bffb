/**
 * One of several processes that begin the same records: tells its parent that it is ready, hears when to begin which, and tells
 * what it has made. Arguments: a module with `backendOf`, and the URL of the server.
 */
const [module, url] = process.argv.slice(2);
const { backendOf } = await import(module);
const CALLERS = 10;

const backend = backendOf(url, { connections: CALLERS, operationTimeoutMs: 10_000 });
await backend.ready();
process.on('message', async (resources) => {
  const made = [];
  for (const resource of resources) {
    const begun = Array.from({ length: CALLERS }, async (_, i) => {
      const owner = `${process.pid}:${i}`;
      const view = await backend.records.begin({
        resource,
        owner,
        fingerprint: '',
        leaseMs: 10_000,
        notAfter: Infinity,
      });
      if (view === undefined) made.push({ resource, owner });
    });
    await Promise.all(begun);
  }
  await backend.close();
  process.send(made);
  process.disconnect();
});
// Its parent has gone, or has heard all.
process.on('disconnect', () => process.exit());
process.send('ready');
