import { Controller, Get, type INestApplication } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import type { BedrockLockModuleOptions } from 'nestjs-bedrock';
import { BedrockHealthIndicator, type BackendHealth } from 'nestjs-bedrock/terminus';
import request from 'supertest';
import { locksOf, serve } from './app.js';

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
  readonly tookMs: number;
}

/** An application with locks and a health endpoint, and what that answers now. */
export async function healthApp(
  locks: BedrockLockModuleOptions['locks'],
  options: Partial<BedrockLockModuleOptions>,
) {
  const app = await serve({ ...health, imports: [...health.imports, locksOf(locks, options)] });
  return { app, indicator: app.get(BedrockHealthIndicator), ask: () => askHealth(app) };
}

async function askHealth(app: INestApplication): Promise<HealthAnswer> {
  const start = performance.now();
  const response = await request(app.getHttpServer() as never).get('/health');
  const { status, text } = response;
  const answer = response.body as { status: string; details: { locks: HealthAnswer['locks'] } };
  return {
    status,
    overall: answer.status,
    locks: answer.details.locks,
    text,
    tookMs: performance.now() - start,
  };
}
