#!/usr/bin/env node
import 'reflect-metadata';
import { openService } from '../common/open-service.js';

/** Entry of the stock service. Loads Nest and the clients only when the settings are valid. */
await openService(async () => {
  const { StockSettings } = await import('./stock.settings.js');
  const settings = new StockSettings(process.env);
  const { StockModule } = await import('./stock.module.js');
  return { title: 'stock service', port: settings.port, module: StockModule.register(settings) };
});
