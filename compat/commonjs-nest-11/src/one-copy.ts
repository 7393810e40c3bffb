import * as lock from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import * as nest from 'nestjs-bedrock';

/** Whether `require()` and `import()` give one copy of each package: the same classes, the same call chain. */
export async function isOneCopy() {
  const imported = { lock: await import('bedrock-lock'), nest: await import('nestjs-bedrock') };
  const bedrock = new imported.lock.Bedrock({ backend: memory() });
  const mutex = bedrock.mutex('stock', { waitMs: 0 });
  const entered = await mutex.run(() => mutex.run(() => lock.currentLease()?.resource));
  await bedrock.close();
  return {
    lock: isSame(lock, imported.lock),
    nest: isSame(nest, imported.nest),
    entered,
  };
}

/** To the compiler they are two modules: it knows `require` and `import`, and not `module-sync`. */
function isSame(required: object, imported: object): boolean {
  const names = Object.keys(required).filter((name) => name !== 'default');
  return names.every((name) => Reflect.get(required, name) === Reflect.get(imported, name));
}
