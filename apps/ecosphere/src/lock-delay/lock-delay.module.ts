import { Module } from '@nestjs/common';
import { LockDelayService } from './lock-delay.service.js';

@Module({ providers: [LockDelayService] })
export class LockDelayModule {}
