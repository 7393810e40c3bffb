/** Starts a server, tells its parent, and ends without stopping it: by exit when told, or by a signal. */
import { readlinkSync } from 'node:fs';
import { startRedis } from 'bedrock-servers';

const server = await startRedis();
process.send({ pid: server.pid, dir: readlinkSync(`/proc/${server.pid}/cwd`) });
process.once('message', () => process.exit(0));
