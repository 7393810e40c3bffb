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
  /** Clock of the locks, such as bedrock-testkit's `ManualClock`. @default the system clock */
  readonly clock?: Clock;
}

/**
 * Replaces `BedrockLockModule` in tests of some providers. Objects that the test creates (`new Orders()`), and those
 * with a double for their locks (`useMocker()`), use the newest open module of this kind. `RecordedLocks` shows the
 * locks that were acquired.
 */
@Module({})
export class BedrockTestingModule implements OnModuleDestroy {
  /** @internal Nest makes it. */
  constructor(@Inject(LOCK_REGISTRY) private readonly registry: LockRegistry) {}

  /** Methods run without locks, under any name. Injected locks must be listed, and are in memory. */
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
          const recorded = new RecordedLocks(time);
          const locks = new RecordingLocks(recorded);
          return { recorded, isLocking, wrap: (one) => locks.of(one) };
        },
      },
      { provide: RecordedLocks, useFactory: ({ recorded }: TestMode) => recorded, inject: [TEST_MODE] },
    ],
    // The module of the locks injects it.
    exports: [RecordedLocks, TEST_MODE],
  };
}
