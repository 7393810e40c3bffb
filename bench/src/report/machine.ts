import { Redis } from 'ioredis';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';

/** The machine of the measurements. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly redis: string;
  readonly ioredis: string;
  readonly date: string;
  /** Load of the last minute before the run: above 0.5, another program was running. */
  readonly load: number;
}

export async function describeMachine(url: string): Promise<Machine> {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model.replace(/\s+/g, ' ').trim() ?? 'unknown CPU',
    cores: cpus().length,
    node: process.versions.node,
    redis: await redisVersion(url),
    ioredis: versionOf('ioredis'),
    date: new Date().toISOString().slice(0, 10),
    load: loadavg()[0] ?? NaN,
  };
}

export function machineLine({ date, cpu, cores, node, redis, ioredis, load }: Machine): string {
  const versions = `Node.js ${node}, Redis ${redis} on loopback, ioredis ${ioredis}`;
  return `${date}, ${cpu}, ${cores} cores, ${versions}; load before the run ${load.toFixed(2)}.`;
}

async function redisVersion(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown';
  } finally {
    client.disconnect();
  }
}

/** Version of an installed package. */
export function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  return (require(`${name}/package.json`) as { readonly version: string }).version;
}
