/**
 * An application that stands for election on Redis. Argument: the server's URL. Prints `elected <token>`, and `ended` when
 * its term is over; ends by a signal as Nest applications do.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { once } from 'node:events';
import { BedrockLockModule, OnLeader } from 'nestjs-bedrock';

class Ledger {
  async lead({ token, signal }) {
    console.log(`elected ${token}`);
    if (!signal.aborted) await once(signal, 'abort');
    console.log('ended');
  }
}
OnLeader('ledger')(Ledger.prototype, 'lead', Object.getOwnPropertyDescriptor(Ledger.prototype, 'lead'));

class App {}
const locks = BedrockLockModule.forRoot({
  backend: () => redis({ url: process.argv[2] }),
  locks: [{ name: 'ledger', kind: 'leaderElection', leaseMs: 1_000 }],
});
Module({ imports: [locks], providers: [Ledger] })(App);

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
console.log('standing');
