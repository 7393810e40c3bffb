/** A client of node-redis 5 or 6 as the user made it, with any modules and scripts. */
export interface NodeRedisClient {
  readonly isPubSubActive: boolean;
  duplicate(): unknown;
  withTypeMapping(mapping: object): unknown;
}

/** The part of the clients of node-redis 5 and 6 that Bedrock uses; all of it is public. */
export interface NodeRedisApi {
  readonly isReady: boolean;
  on(event: 'connect' | 'ready' | 'reconnecting' | 'sharded-channel-moved', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
  sendCommand(args: readonly (string | Buffer)[], options?: CommandOptions): Promise<unknown>;
  subscribe(channels: readonly string[], listener: MessageListener): Promise<unknown>;
  unsubscribe(channels: readonly string[], listener: MessageListener): Promise<unknown>;
  pSubscribe(patterns: readonly string[], listener: MessageListener): Promise<unknown>;
  pUnsubscribe(patterns: readonly string[], listener: MessageListener): Promise<unknown>;
  sSubscribe(channels: readonly string[], listener: MessageListener): Promise<unknown>;
  sUnsubscribe(channels: readonly string[], listener: MessageListener): Promise<unknown>;
}

export type MessageListener = (message: string, channel: string) => void;

export interface CommandOptions {
  /** The class for each RESP type, by the first byte of the type. */
  readonly typeMapping?: Readonly<Record<number, unknown>>;
}
