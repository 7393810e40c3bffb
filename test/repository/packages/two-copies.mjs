/** Loads two copies of every library into this process, past the conditions of `exports`, and prints what it sees. */
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const libraries = join(import.meta.dirname, '../../../libs');

/** A second version of bedrock-lock, as another package may bring it. */
const secondLock = mkdtempSync(join(tmpdir(), 'bedrock-two-copies-'));
process.once('exit', () => rmSync(secondLock, { recursive: true, force: true }));
cpSync(join(libraries, 'lock/dist'), secondLock, { recursive: true });

/** Two copies of an entry: both builds, or for bedrock-lock, which has one, two versions. */
async function bothOf(library, entry = 'index') {
  const dist = join(libraries, library, 'dist');
  const [module, copy] =
    library === 'lock'
      ? [join(dist, `${entry}.mjs`), join(secondLock, `${entry}.js`)]
      : [join(dist, `${entry}.js`), join(dist, 'cjs', `${entry}.js`)];
  return { esm: await import(pathToFileURL(module).href), cjs: require(copy) };
}

/** Names that only one format exports, by entry. */
async function differences() {
  const found = {};
  for (const library of readdirSync(libraries)) {
    const { exports } = JSON.parse(readFileSync(join(libraries, library, 'package.json'), 'utf8'));
    for (const [subpath, target] of Object.entries(exports)) {
      if (subpath === './package.json') continue;
      const entry = subpath === '.' ? 'index' : subpath.slice('./'.length);
      const esm = await import(pathToFileURL(join(libraries, library, target.import.default)).href);
      const cjs = require(join(libraries, library, target.require.default));
      const [one, other] = [esm, cjs].map((names) => Object.keys(names).filter((name) => name !== 'default'));
      found[`${library}/${entry}`] = [
        ...one.filter((name) => !other.includes(name)),
        ...other.filter((name) => !one.includes(name)),
      ];
    }
  }
  return found;
}

const { esm, cjs } = await bothOf('lock');
const memory = await bothOf('lock', 'memory');
const backend = memory.esm.memory();
const bedrock = new esm.Bedrock({ backend });
const mutex = bedrock.mutex('stock', { waitMs: 0 });

function codeOfSecondBedrock() {
  try {
    new cjs.Bedrock({ backend });
    return 'none';
  } catch (error) {
    return error.code;
  }
}

/** What callers get when a backend of the other copy throws an error of its own. */
async function codeOfForeignError() {
  const failing = memory.cjs.memory();
  failing.leases.claim = () => Promise.reject(new cjs.LockTypeMismatchError('stock', 'a list'));
  const mutex = new esm.Bedrock({ backend: failing }).mutex('stock');
  return mutex.run(() => 'ran').catch((error) => error.code);
}

/** Applies a legacy decorator to a method, as compiled TypeScript does. */
function decorate(target, name, decorator) {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  decorator(target.prototype, name, descriptor);
  Object.defineProperty(target.prototype, name, descriptor);
}

/** An application of the other copy's module than that of the backend. */
async function appOf({ BedrockLockModule }, provider, backend) {
  class AppModule {}
  const imports = [BedrockLockModule.forRoot({ backend: () => backend, locks: ['orders'] })];
  Module({ imports, providers: [provider] })(AppModule);
  return NestFactory.createApplicationContext(AppModule, { logger: false });
}

/** A method that the decorator of one copy locks, in an application of the other copy's module. */
async function runsDecorated() {
  const nest = await bothOf('nestjs');
  class Orders {
    place() {
      return Promise.resolve(esm.currentLease()?.resource);
    }
  }
  decorate(Orders, 'place', nest.cjs.DistributedLock('orders'));
  const app = await appOf(nest.esm, Orders, memory.cjs.memory());
  const resource = await app.get(Orders).place();
  await app.close();
  return resource;
}

/** What `onBusy` gives when the backend throws an error of the other copy than that of the decorator. */
async function onBusyOf(error) {
  const { esm: nest } = await bothOf('nestjs');
  class Orders {
    place() {
      throw new Error('it ran');
    }
  }
  decorate(Orders, 'place', nest.DistributedLock({ lock: 'orders', onBusy: ({ code }) => code }));
  const backend = memory.cjs.memory();
  backend.leases.claim = () => Promise.reject(error);
  const app = await appOf(nest, Orders, backend);
  const value = await app.get(Orders).place();
  await app.close();
  return value;
}

/** What `onLost` gives when the body tells the loss of its lease by an error of the other copy. */
async function onLost() {
  const { esm: nest } = await bothOf('nestjs');
  class Orders {
    async place() {
      const { signal } = esm.currentLease();
      const lost = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await app.get(nest.BedrockService).lock('orders').forceRelease();
      await lost;
      throw new cjs.LockLostError('orders', 'taken', 5);
    }
  }
  decorate(Orders, 'place', nest.DistributedLock({ lock: 'orders', onLost: ({ code }) => code }));
  const app = await appOf(nest, Orders, memory.cjs.memory());
  const value = await app.get(Orders).place();
  await app.close();
  return value;
}

const seen = {
  copies: esm.Bedrock === cjs.Bedrock ? 1 : 2,
  formats: (await import('bedrock-lock')).Bedrock === require('bedrock-lock').Bedrock ? 1 : 2,
  differences: await differences(),
  secondBedrock: codeOfSecondBedrock(),
  lease: await mutex.run((lease) => cjs.currentLease() === lease),
  nested: await mutex.run(() => mutex.run(() => cjs.currentLease()?.isHeld)),
  flow: await cjs.runInFlow(async () => {
    await mutex.lock();
    await mutex.lock();
    await mutex.unlock();
    return mutex.unlock();
  }),
  foreignError: await codeOfForeignError(),
  decorated: await runsDecorated(),
  onBusy: [
    await onBusyOf(new cjs.LockBusyError('orders')),
    await onBusyOf(new cjs.LockWaitTimeoutError('orders', 5)),
    await onBusyOf(new cjs.QueueFullError('orders', 'maxWaiters', 5)),
  ],
  onLost: await onLost(),
};
await bedrock.close();
console.log(JSON.stringify(seen));
