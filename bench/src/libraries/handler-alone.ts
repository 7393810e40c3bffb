import { Module } from '@nestjs/common';
import type { OpenLock } from './open-lock.js';
import { openHandler, PlainOrders } from './repeated.js';

@Module({ controllers: [PlainOrders] })
class PlainModule {}

/** The same application without idempotency: every request runs. */
export function open(): Promise<OpenLock> {
  return openHandler(PlainModule);
}
