import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { memory } from 'bedrock-lock/memory';
import { eventually } from 'bedrock-testkit';
import { BedrockLockModule, BedrockService, type BedrockLockModuleOptions } from 'nestjs-bedrock';

export { deferred } from '../../support/deferred.js';

const open = new Set<{ close(): Promise<void> }>();

/** Closes what a test started; for `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all([...open].map((one) => one.close()));
  open.clear();
}

/** The module of a test: memory of its own, and the locks that the test names. */
export function locksOf(
  locks: BedrockLockModuleOptions['locks'] = [],
  options: Partial<BedrockLockModuleOptions> = {},
) {
  const backend = options.backends === undefined ? { backend: () => memory() } : {};
  return BedrockLockModule.forRoot({ ...backend, locks, shutdownGraceMs: 0, ...options });
}

/** Has `closeAll()` close it, unless the test does. */
function closing<T extends { close(): Promise<void> }>(app: T): T {
  const close = app.close.bind(app);
  app.close = async () => {
    open.delete(app);
    await close();
  };
  open.add(app);
  return app;
}

/** An application without a server; initialised, so that its decorated methods were checked. */
export async function start(metadata: ModuleMetadata): Promise<TestingModule> {
  const module = await Test.createTestingModule(metadata).compile();
  return closing(module).init();
}

/** An application with a server that was not told to listen. */
export async function serve(metadata: ModuleMetadata): Promise<INestApplication> {
  const module = await Test.createTestingModule(metadata).compile();
  return closing(module.createNestApplication({ logger: false })).init();
}

/** Why an application does not start. */
export async function startError(
  metadata: ModuleMetadata,
): Promise<Error & { code?: string; field?: string }> {
  try {
    await start(metadata);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the application started');
}

export function bedrockOf(app: { get(token: typeof BedrockService): BedrockService }): BedrockService {
  return app.get(BedrockService);
}

/** Waits for a fact in this process, and shows its code when it does not come. */
export function until(fact: () => boolean): Promise<void> {
  return eventually(String(fact), fact, { withinMs: 15_000 });
}

/** What a function throws, or undefined. */
export function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
