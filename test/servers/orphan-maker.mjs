/** Starts a server, tells its parent, and ends without stopping it: by exit when told, or by a signal. */
import { redisCommand, startRedis } from 'bedrock-servers';

const server = await startRedis();
const [, dir] = await redisCommand(server, 'CONFIG', 'GET', 'dir');
process.send({ pid: server.pid, dir });
process.once('message', () => process.exit(0));
