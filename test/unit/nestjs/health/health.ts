import { Controller, Get, type INestApplication } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { eventually, liveness, type Timing } from 'bedrock-testkit';
import type { BedrockLockModuleOptions } from 'nestjs-bedrock';
import { BedrockHealthIndicator, type BackendHealth } from 'nestjs-bedrock/terminus';
import request, { type Response } from 'supertest';
import { locksOf, serve } from '../app.js';

/** How long a health check of the tests waits for a backend, in ms. */
export const TIMEOUT_MS = 300;

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: BedrockHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.locks.check('locks', { timeoutMs: TIMEOUT_MS })]);
  }
}

export const health = {
  imports: [TerminusModule.forRoot({ logger: false })],
  providers: [BedrockHealthIndicator],
  controllers: [HealthController],
};

export interface HealthAnswer {
  readonly status: number;
  readonly overall: string;
  readonly locks: { readonly status: string; readonly backends: Record<string, BackendHealth> };
  readonly text: string;
  readonly timing: Timing;
}

/** An application with locks and a health endpoint, and what that answers now. */
export async function healthApp(
  locks: BedrockLockModuleOptions['locks'],
  options: Partial<BedrockLockModuleOptions>,
) {
  const app = await serve({ ...health, imports: [...health.imports, locksOf(locks, options)] });
  return { app, indicator: app.get(BedrockHealthIndicator), ask: () => askHealth(app) };
}

/** The first answer of which it is so. */
export async function untilSo(
  ask: () => Promise<HealthAnswer>,
  isSo: (answer: HealthAnswer) => boolean,
): Promise<HealthAnswer> {
  let answer!: HealthAnswer;
  const look = async () => isSo((answer = await ask()));
  await eventually(`health: ${String(isSo)}`, look, { withinMs: 15_000 });
  return answer;
}

async function askHealth(app: INestApplication): Promise<HealthAnswer> {
  let response!: Response;
  const timing = await liveness.time(async () => {
    response = await request(app.getHttpServer() as never).get('/health');
  });
  const { status, text } = response;
  const answer = response.body as { status: string; details: { locks: HealthAnswer['locks'] } };
  return {
    status,
    overall: answer.status,
    locks: answer.details.locks,
    text,
    timing,
  };
}
