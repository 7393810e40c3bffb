import { Injectable, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { LeaderCandidate } from './leader.candidate.js';

/** Has the candidates of an application stand for election while it runs. */
@Injectable()
export class Leadership implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #candidates: LeaderCandidate[] = [];

  add(candidate: LeaderCandidate): void {
    this.#candidates.push(candidate);
  }

  // A module of its own, since these hooks must come last at the start and first at the end: see `orderHooks()`.
  onApplicationBootstrap(): void {
    for (const candidate of this.#candidates) candidate.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#candidates.map((candidate) => candidate.stop()));
  }
}

@Module({ providers: [Leadership], exports: [Leadership] })
export class LeadershipModule {}
