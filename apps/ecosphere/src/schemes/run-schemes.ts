import { NestFactory } from '@nestjs/core';
import { BedrockService } from 'nestjs-bedrock';
import type { SchemeAccount } from './account.js';
import { Database } from './database.js';
import { SchemesModule, type SchemesSettings } from './schemes.module.js';
import type { SchemeTrial } from './trials/trial-setup.js';
import { duplicateTable } from './trials/duplicate-table.trial.js';
import { optimisticCondition } from './trials/optimistic-condition.trial.js';
import { optimisticVersion } from './trials/optimistic-version.trial.js';
import { pessimisticRows } from './trials/pessimistic-rows.trial.js';
import { selectThenInsert } from './trials/select-then-insert.trial.js';

const TRIALS: readonly SchemeTrial[] = [
  duplicateTable,
  selectThenInsert,
  optimisticVersion,
  optimisticCondition,
  pessimisticRows,
];

/** Tries the schemes one after the other in one application, with one concurrent request per connection. */
export async function runSchemes(settings: SchemesSettings): Promise<readonly SchemeAccount[]> {
  const app = await NestFactory.createApplicationContext(SchemesModule.register(settings), {
    logger: ['warn', 'error', 'fatal'],
    abortOnError: false,
  });
  try {
    await app.get(BedrockService).bedrock().ready();
    await app.get(Database).open();
    const accounts: SchemeAccount[] = [];
    for (const trial of TRIALS) accounts.push(await trial({ app, requests: settings.connections }));
    return accounts;
  } finally {
    await app.close();
  }
}
