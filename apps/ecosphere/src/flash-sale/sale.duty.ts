import { BedrockService } from 'nestjs-bedrock';
import type { AppSettings } from '../app.settings.js';
import { NodeLog, type NodeNotes } from '../chaos/node.log.js';
import type { ReadyDuty } from '../processes/duty.js';
import { startApp } from '../start-app.js';
import { Crowd, type CrowdOrder } from './crowd.js';
import { SaleLedger } from './sale.ledger.js';

export interface SaleOrder extends CrowdOrder {
  readonly settings: AppSettings;
}

/** What one process has to tell after the sale. */
export interface SaleAccount {
  /** Sales of each of its buyers. */
  readonly sales: readonly number[];
  readonly turnedAway: number;
  readonly failures: readonly string[];
  /** As `SectionLog.times`. */
  readonly sections: Float64Array;
  readonly waitsMs: Float64Array;
  readonly handOvers: number;
  /** Requests that the lock has sent to the server. */
  readonly commands: number;
  readonly nodes: NodeNotes;
}

/** One process of the sale: a Nest application with its share of the buyers. */
export async function saleDuty({ settings, ...order }: SaleOrder): Promise<ReadyDuty<SaleAccount>> {
  const app = await startApp(settings);
  const bedrock = app.get(BedrockService).bedrock();
  const ledger = app.get(SaleLedger);
  const commandsBefore = bedrock.backend.commands;
  return {
    async work(onProgress) {
      const failures = await app.get(Crowd).shop(order, () => onProgress(1));
      return {
        sales: ledger.salesOf(order.buyers),
        turnedAway: ledger.turnedAway,
        failures,
        sections: ledger.sections.times,
        waitsMs: Float64Array.from(ledger.waitsMs),
        handOvers: bedrock.stats().handOvers,
        commands: bedrock.backend.commands - commandsBefore,
        nodes: app.get(NodeLog).notes,
      };
    },
    close: () => app.close(),
  };
}
