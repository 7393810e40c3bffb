import { zookeeper as withClient } from 'bedrock-lock/zookeeper';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The compiled client, from the folder that ZOOKEEPER_NATIVE_CLIENT names or from here. @throws where it is not installed */
export function nativeClient() {
  const folder = process.env['ZOOKEEPER_NATIVE_CLIENT'];
  const from = folder ? join(folder, 'package.json') : import.meta.url;
  return createRequire(from)('zookeeper');
}

/** What the processes of a crowd make their backends with. */
export function zookeeper(connect) {
  return withClient({ connect, client: nativeClient() });
}
