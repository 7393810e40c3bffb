import { Module } from '@nestjs/common';
import { LockTimeService } from './lock-time.service.js';

@Module({ providers: [LockTimeService] })
export class LockTimeModule {}
