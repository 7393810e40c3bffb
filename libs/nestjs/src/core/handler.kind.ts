import 'reflect-metadata';

// Literal names: the constants are in packages that need not be installed, and Nest 12 has moved them.
const HANDLER_METADATA: readonly (readonly [metadataKey: string, kind: string])[] = [
  ['method', 'an HTTP handler'],
  ['microservices:pattern', 'a message handler'],
  ['websockets:message_mapping', 'a WebSocket handler'],
  ['graphql:resolver_type', 'a GraphQL resolver'],
];

/** The kind of handler, or undefined for a method that only code calls. */
export function handlerKind(method: object): string | undefined {
  return HANDLER_METADATA.find(([metadataKey]) => Reflect.hasMetadata(metadataKey, method))?.[1];
}
