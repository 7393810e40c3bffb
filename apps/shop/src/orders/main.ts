#!/usr/bin/env node
import 'reflect-metadata';
import { openService } from '../common/open-service.js';

/** Entry of the order service. Loads Nest and the clients only when the settings are valid. */
await openService(async () => {
  const { OrderSettings } = await import('./order.settings.js');
  const settings = new OrderSettings(process.env);
  const { OrdersModule } = await import('./orders.module.js');
  return { title: 'order service', port: settings.port, module: OrdersModule.register(settings) };
});
