/** Loads both builds of every library into this process, past the conditions of `exports`, and prints what it sees. */
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const libraries = join(import.meta.dirname, '../../libs');

/** Both builds of an entry. @param {string} library @param {string} entry */
async function bothOf(library, entry = 'index') {
  const dist = join(libraries, library, 'dist');
  const esm = await import(pathToFileURL(join(dist, `${entry}.js`)).href);
  return { esm, cjs: require(join(dist, 'cjs', `${entry}.js`)) };
}

/** Names that only one of both builds exports, by entry. */
async function differences() {
  const found = {};
  for (const library of readdirSync(libraries)) {
    const { exports } = JSON.parse(readFileSync(join(libraries, library, 'package.json'), 'utf8'));
    const entries = Object.values(exports).flatMap((target) => target['@bedrock/source'] ?? []);
    for (const entry of entries.map((source) => source.slice('./src/'.length, -'.ts'.length))) {
      const { esm, cjs } = await bothOf(library, entry);
      const [one, other] = [Object.keys(esm), Object.keys(cjs)];
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

/** A method that the decorator of one copy locks, in an application of the other copy's module. */
async function runsDecorated() {
  const nest = await bothOf('nestjs');
  class Orders {
    place() {
      return Promise.resolve(esm.currentLease()?.resource);
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'place');
  nest.cjs.DistributedLock('orders')(Orders.prototype, 'place', descriptor);
  Object.defineProperty(Orders.prototype, 'place', descriptor);
  class AppModule {}
  const backend = () => memory.cjs.memory();
  Module({
    imports: [nest.esm.BedrockLockModule.forRoot({ backend, locks: ['orders'] })],
    providers: [Orders],
  })(AppModule);
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const resource = await app.get(Orders).place();
  await app.close();
  return resource;
}

const seen = {
  copies: esm.Bedrock === cjs.Bedrock ? 1 : 2,
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
};
await bedrock.close();
console.log(JSON.stringify(seen));
