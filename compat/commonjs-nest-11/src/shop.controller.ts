import { Controller, Get, Header, Post, Res } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { DistributedLock, Idempotent } from 'nestjs-bedrock';
import { BedrockHealthIndicator } from 'nestjs-bedrock/terminus';

interface Answer {
  setHeader(name: string, value: string): unknown;
}

@Controller()
export class ShopController {
  private orders = 0;

  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: BedrockHealthIndicator,
  ) {}

  @Get('audit')
  @MessagePattern('audit')
  @DistributedLock({ lock: 'audit', waitMs: 0 })
  async audit(): Promise<string> {
    return 'audited';
  }

  @Post('orders')
  @Header('X-Orders', '0')
  @Idempotent({ idempotency: 'orders', scope: 'shop' })
  async order(@Res({ passthrough: true }) answer: Answer): Promise<string> {
    this.orders += 1;
    answer.setHeader('X-Orders', String(this.orders));
    return 'ordered';
  }

  @Get('health')
  @HealthCheck()
  async check() {
    return this.health.check([() => this.locks.check('locks')]);
  }
}
