import { Module } from '@nestjs/common';
import { ContentionService } from './contention.service.js';

@Module({ providers: [ContentionService] })
export class ContentionModule {}
