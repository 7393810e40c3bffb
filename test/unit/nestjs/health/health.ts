import { Controller, Get, Inject, type INestApplication } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { eventually, liveness, type Timing } from 'bedrock-testkit';
import type { BedrockLockModuleOptions } from 'nestjs-bedrock';
import { BedrockHealthIndicator, type BackendHealth } from 'nestjs-bedrock/terminus';
import request, { type Response } from 'supertest';
import { locksOf, serve } from '../app.js';

/** How long a health check waits for a backend that stays silent, in ms. */
export const TIMEOUT_MS = 300;
/** How long it waits where an answer is expected. */
const PATIENT_MS = 5_000;
const HEALTH_TIMEOUT = 'health time-out';

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: BedrockHealthIndicator,
    @Inject(HEALTH_TIMEOUT) private readonly timeoutMs: number,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.locks.check('locks', { timeoutMs: this.timeoutMs })]);
  }
}

const healthWithin = (timeoutMs: number) => ({
  imports: [TerminusModule.forRoot({ logger: false })],
  providers: [BedrockHealthIndicator, { provide: HEALTH_TIMEOUT, useValue: timeoutMs }],
  controllers: [HealthController],
});

export const health = healthWithin(PATIENT_MS);

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
  timeoutMs = PATIENT_MS,
) {
  const parts = healthWithin(timeoutMs);
  const app = await serve({ ...parts, imports: [...parts.imports, locksOf(locks, options)] });
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
