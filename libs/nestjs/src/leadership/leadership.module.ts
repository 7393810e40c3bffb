import { Injectable, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { LeaderCandidate } from './leader.candidate.js';

/** Makes the candidates stand for election while the application runs. */
@Injectable()
export class Leadership implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #candidates: LeaderCandidate[] = [];

  add(candidate: LeaderCandidate): void {
    this.#candidates.push(candidate);
  }

  // A separate module, since these hooks must run last at the start and first at the end: see `orderHooks()`.
  onApplicationBootstrap(): void {
    for (const candidate of this.#candidates) candidate.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#candidates.map((candidate) => candidate.stop()));
  }
}

@Module({ providers: [Leadership], exports: [Leadership] })
export class LeadershipModule {}
