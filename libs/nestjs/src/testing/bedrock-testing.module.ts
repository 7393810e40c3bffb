import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import type { Clock } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { leaveTestMode } from '../registry/bound.registry.js';
import { BedrockLockModule } from '../module/bedrock-lock.module.js';
import type { BedrockLockStaticOptions } from '../options/bedrock-lock.options.js';
import type { LockRegistry } from '../registry/lock.registry.js';
import { LOCK_REGISTRY, TEST_MODE } from '../core/lock.constants.js';
import { RecordedLocks } from '../core/recorded.locks.js';
import type { TestMode } from '../registry/test.mode.js';
import { RecordingLocks } from './recording.locks.js';

/** Options of `BedrockTestingModule`. */
export interface BedrockTestingOptions extends Pick<BedrockLockStaticOptions, 'locks' | 'idempotency'> {
  /** Time of the locks, as `ManualClock` of bedrock-testkit gives it. @default the system's */
  readonly clock?: Clock;
}

/**
 * In place of `BedrockLockModule`, for tests of some providers. Objects that the test makes itself (`new Orders()`), and those
 * that got a double for their locks (`useMocker()`), are under the locks of the newest such module that is not closed.
 * `RecordedLocks` tells what was locked.
 */
@Module({})
export class BedrockTestingModule implements OnModuleDestroy {
  constructor(@Inject(LOCK_REGISTRY) private readonly registry: LockRegistry) {}

  /** Methods run without locks, under any name. What is injected must be listed, and lives in memory. */
  static noLocks(options: BedrockTestingOptions = {}): DynamicModule {
    return testing(options, false);
  }

  /** Methods run under locks in memory, which must be listed. */
  static inMemory(options: BedrockTestingOptions = {}): DynamicModule {
    return testing(options, true);
  }

  onModuleDestroy(): void {
    leaveTestMode(this.registry);
  }
}

function testing({ clock, ...listed }: BedrockTestingOptions, isLocking: boolean): DynamicModule {
  const time = clock === undefined ? {} : { clock };
  const options = { backend: () => memory(time), shutdownGraceMs: 0, ...time, ...listed };
  return {
    module: BedrockTestingModule,
    global: true,
    imports: [BedrockLockModule.forRoot({ ...options, allowInProcessLocks: true })],
    providers: [
      {
        provide: TEST_MODE,
        useFactory: (): TestMode => {
          const recorded = new RecordedLocks();
          const locks = new RecordingLocks(recorded);
          return { recorded, isLocking, wrap: (one) => locks.of(one) };
        },
      },
      { provide: RecordedLocks, useFactory: ({ recorded }: TestMode) => recorded, inject: [TEST_MODE] },
    ],
    // The module of the locks asks for it.
    exports: [RecordedLocks, TEST_MODE],
  };
}
