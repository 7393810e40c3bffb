import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BedrockService } from 'nestjs-bedrock';
import { AppModule } from './app.module.js';
import type { AppSettings } from './app.settings.js';

/** A started application whose backend answers. Nest logs only warnings and errors. */
export async function startApp(settings: AppSettings): Promise<INestApplicationContext> {
  const app = await NestFactory.createApplicationContext(AppModule.register(settings), {
    logger: ['warn', 'error', 'fatal'],
    abortOnError: false,
  });
  await app.get(BedrockService).bedrock().ready();
  return app;
}
