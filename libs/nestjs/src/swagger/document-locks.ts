import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { LOCK_INTERCEPTOR_SETTINGS, LOCK_REGISTRY } from '../core/lock.constants.js';
import { prototypeChain, prototypeOf, type ProviderWrapper } from '../core/provider.wrapper.js';
import type { LockInterceptorSettings } from '../options/lock-interceptor.settings.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import { headersOf } from './handler.headers.js';
import { decoratedHandlers, type DecoratedHandler } from './decorated.handlers.js';
import { responsesOf } from './handler.responses.js';

/** Metadata of `@nestjs/swagger`: responses by status, and the list of parameters. */
const RESPONSES = 'swagger/apiResponse';
const PARAMETERS = 'swagger/apiParameters';

/** Statuses that a call for an earlier application has described. */
const described = new WeakMap<object, ReadonlySet<string>>();

/**
 * Describes the locks of an application in its OpenAPI document: on each HTTP handler with `@DistributedLock()` or
 * `@Idempotent()`, the request headers and the responses that `BedrockLockModule` adds to it, with the statuses that are
 * configured. Call it before `SwaggerModule.createDocument()`. What the handler or its controller describes itself stays.
 * @throws UnknownElementException (of Nest) without `BedrockLockModule` in the application
 */
export function documentLocks(app: INestApplicationContext): void {
  const settings = app.get<LockInterceptorSettings>(LOCK_INTERCEPTOR_SETTINGS, { strict: false });
  const registry = app.get<LockRegistry>(LOCK_REGISTRY, { strict: false });
  const discovery = app.get(DiscoveryService, { strict: false });
  for (const wrapper of discovery.getControllers())
    for (const handler of handlersOf(wrapper)) {
      describeHeaders(handler);
      describeResponses(handler, { settings, registry });
    }
}

function handlersOf(wrapper: ProviderWrapper): readonly DecoratedHandler[] {
  return [...prototypeChain(prototypeOf(wrapper))].flatMap((prototype) =>
    decoratedHandlers(prototype, wrapper.metatype as object),
  );
}

function describeHeaders({ prototype, key, descriptor, idempotent }: DecoratedHandler): void {
  if (idempotent === undefined) return;
  const known = (Reflect.getMetadata(PARAMETERS, descriptor.value!) ?? []) as readonly {
    readonly in?: string;
    readonly name?: string;
  }[];
  const names = known.flatMap((one) => (one.in === 'header' ? [String(one.name).toLowerCase()] : []));
  for (const header of headersOf(idempotent))
    if (!names.includes(header.name.toLowerCase())) ApiHeader(header)(prototype, key, descriptor);
}

function describeResponses(
  handler: DecoratedHandler,
  application: { readonly settings: LockInterceptorSettings; readonly registry: LockRegistry },
): void {
  const { prototype, key, descriptor, controller } = handler;
  const method = descriptor.value!;
  const own = described.get(method) ?? new Set<string>();
  const others = Object.entries(describedOn(method)).filter(([status]) => !own.has(status));
  // The decorator would add to the text of the earlier call.
  Reflect.defineMetadata(RESPONSES, Object.fromEntries(others), method);
  const known = new Set([...others.map(([status]) => status), ...Object.keys(describedOn(controller))]);
  const responses = responsesOf(handler, application).filter(({ status }) => !known.has(String(status)));
  for (const response of responses) ApiResponse(response)(prototype, key, descriptor);
  described.set(method, new Set(responses.map(({ status }) => String(status))));
}

function describedOn(target: object): object {
  return (Reflect.getMetadata(RESPONSES, target) ?? {}) as object;
}
