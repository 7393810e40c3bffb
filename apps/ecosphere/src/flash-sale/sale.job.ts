import type { INestApplicationContext } from '@nestjs/common';
import { BedrockService } from 'nestjs-bedrock';
import type { AppSettings } from '../app.settings.js';
import { NodeLog, type NodeNotes } from '../chaos/node.log.js';
import type { ReadyJob } from '../processes/process-job.js';
import { startApp } from '../start-app.js';
import { Metrics } from '../telemetry/metrics.service.js';
import type { SaleSeries } from '../telemetry/sale-metrics.js';
import { Buyers, type BuyersInput } from './buyers.js';
import { SaleLedger } from './sale.ledger.js';

export interface SaleInput extends BuyersInput {
  readonly settings: AppSettings;
}

/** The result of one process after the sale. */
export interface SaleResult {
  /** Sales of each of its buyers. */
  readonly sales: readonly number[];
  readonly turnedAway: number;
  readonly failures: readonly string[];
  /** As `SectionLog.times`. */
  readonly sections: Float64Array;
  readonly waitsMs: Float64Array;
  readonly handOvers: number;
  /** Requests that the lock sent to the server. */
  readonly commands: number;
  readonly nodes: NodeNotes;
  /** What its metrics say, where they are served. */
  readonly metrics: readonly SaleSeries[];
}

/** The page of its metrics. An application without it is closed, or its connections would keep the process alive. */
async function servedBy(app: INestApplicationContext, port: number): Promise<string> {
  try {
    return await app.get(Metrics).serve(port);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** One process of the sale: a Nest application with its share of the buyers. */
export async function saleJob({ settings, ...input }: SaleInput): Promise<ReadyJob<SaleResult>> {
  const app = await startApp(settings);
  const bedrock = app.get(BedrockService).bedrock();
  const ledger = app.get(SaleLedger);
  const commandsBefore = bedrock.backend.commands;
  const metrics = app.get(Metrics);
  const { metricsPort } = settings;
  const address = metricsPort === undefined ? undefined : await servedBy(app, metricsPort);
  return {
    ...(address !== undefined && { notice: address }),
    async work(onProgress) {
      const failures = await app.get(Buyers).shop(input, () => onProgress(1));
      return {
        sales: ledger.salesOf(input.buyers),
        turnedAway: ledger.turnedAway,
        failures,
        sections: ledger.sections.times,
        waitsMs: Float64Array.from(ledger.waitsMs),
        handOvers: bedrock.stats().handOvers,
        commands: bedrock.backend.commands - commandsBefore,
        nodes: app.get(NodeLog).notes,
        metrics: metricsPort === undefined ? [] : await metrics.read(),
      };
    },
    close: () => app.close(),
  };
}
