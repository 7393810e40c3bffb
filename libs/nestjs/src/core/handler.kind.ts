import 'reflect-metadata';

// By name: the constants stand in packages that need not be installed, and elsewhere in Nest 11 than in 12.
const HANDLER_METADATA: readonly (readonly [metadataKey: string, kind: string])[] = [
  ['method', 'an HTTP handler'],
  ['microservices:pattern', 'a message handler'],
  ['websockets:message_mapping', 'a WebSocket handler'],
  ['graphql:resolver_type', 'a GraphQL resolver'],
];

/** What calls the method from outside, or undefined for one that only code calls. */
export function handlerKind(method: object): string | undefined {
  return HANDLER_METADATA.find(([metadataKey]) => Reflect.hasMetadata(metadataKey, method))?.[1];
}
