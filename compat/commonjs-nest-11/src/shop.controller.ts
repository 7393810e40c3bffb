import { Controller, Get, Post } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { DistributedLock, Idempotent } from 'nestjs-bedrock';
import { BedrockHealthIndicator } from 'nestjs-bedrock/terminus';

@Controller()
export class ShopController {
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
  @Idempotent({ idempotency: 'orders', scope: 'shop' })
  async order(): Promise<string> {
    return 'ordered';
  }

  @Get('health')
  @HealthCheck()
  async check() {
    return this.health.check([() => this.locks.check('locks')]);
  }
}
