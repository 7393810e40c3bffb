import { Controller, Get, Res } from '@nestjs/common';
import { BedrockService } from 'nestjs-bedrock';
import type { ServerResponse } from 'node:http';
import type { Health } from './contract.js';
import { Database } from './database.js';

/** Health of the process: its database answers, and so does every server with its locks and records. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly bedrock: BedrockService,
  ) {}

  @Get()
  async health(@Res({ passthrough: true }) response: ServerResponse): Promise<Health> {
    const backends = this.bedrock.backends.map((name) => {
      const { backend } = this.bedrock.bedrock(name);
      return [name === 'default' ? 'locks' : name, backend.ping()] as const;
    });
    const parts = await Promise.all(
      [['database', this.database.ping()] as const, ...backends].map(async ([name, sign]) => {
        return [name, await sign.then(() => 'up' as const, () => 'down' as const)] as const; // prettier-ignore
      }),
    );
    const status = parts.every(([, state]) => state === 'up') ? 'up' : 'down';
    response.statusCode = status === 'up' ? 200 : 503;
    return { status, parts: Object.fromEntries(parts) };
  }
}
