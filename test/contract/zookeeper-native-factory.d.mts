import type { Backend } from 'bedrock-lock';
import type { NativeZooKeeper } from 'bedrock-lock/zookeeper';

export function nativeClient(): NativeZooKeeper;
export function zookeeper(connect: string): Backend;
