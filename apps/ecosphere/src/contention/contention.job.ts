import { BedrockService } from 'nestjs-bedrock';
import type { AppSettings } from '../app.settings.js';
import type { ReadyJob } from '../processes/process-job.js';
import { startApp } from '../start-app.js';
import { ContentionService } from './contention.service.js';

export interface ContentionInput {
  readonly settings: AppSettings;
  readonly flows: number;
  readonly turns: number;
}

export interface ContentionResult {
  /** As `SectionLog.times`. */
  readonly sections: Float64Array;
  /** The flow of each section, in order of entry. */
  readonly order: readonly number[];
  readonly handOvers: number;
  readonly commands: number;
}

/** One process of the contention: a Nest application with some flows. */
export async function contentionJob(input: ContentionInput): Promise<ReadyJob<ContentionResult>> {
  const app = await startApp(input.settings);
  const bedrock = app.get(BedrockService).bedrock();
  const service = app.get(ContentionService);
  const commandsBefore = bedrock.backend.commands;
  return {
    async work(onProgress) {
      await service.compete(input.flows, input.turns, () => onProgress(1));
      return {
        sections: service.sections.times,
        order: service.order,
        handOvers: bedrock.stats().handOvers,
        commands: bedrock.backend.commands - commandsBefore,
      };
    },
    close: () => app.close(),
  };
}
