import * as lock from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import * as nest from 'nestjs-bedrock';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Whether `import` and `require()` give one copy of each package: the same classes, the same call chain. */
export async function isOneCopy() {
  const required = {
    lock: require('bedrock-lock') as typeof lock,
    nest: require('nestjs-bedrock') as typeof nest,
  };
  const bedrock = new required.lock.Bedrock({ backend: memory() });
  const mutex = bedrock.mutex('stock', { waitMs: 0 });
  const entered = await mutex.run(() => mutex.run(() => lock.currentLease()?.resource));
  await bedrock.close();
  return {
    lock: isSame(lock, required.lock),
    nest: isSame(nest, required.nest),
    entered,
  };
}

function isSame(imported: object, required: object): boolean {
  return Object.keys(imported).every((name) => Reflect.get(imported, name) === Reflect.get(required, name));
}
