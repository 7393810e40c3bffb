import {
  ClassSerializerInterceptor,
  Controller,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Redirect,
  Res,
  UseInterceptors,
  type DynamicModule,
} from '@nestjs/common';
import type { Backend } from 'bedrock-lock';
import { Exclude } from 'class-transformer';
import {
  BedrockLockModule,
  DistributedLock,
  Idempotent,
  type IdempotentHandlerOptions,
} from 'nestjs-bedrock';

/** What Express and Fastify both have. */
interface Answer {
  header(name: string, value: string): unknown;
}

const once = (operation: string): IdempotentHandlerOptions => ({
  idempotency: 'payments',
  scope: 'shop',
  operation,
});

class Receipt {
  @Exclude()
  readonly card = '4111 1111 1111 1111';

  constructor(
    readonly run: number,
    readonly amount: number,
  ) {}
}

@Controller('payments')
@UseInterceptors(ClassSerializerInterceptor)
export class PaymentsController {
  runs = 0;

  @Post('of/:amount')
  @Idempotent(once('pay'))
  async pay(
    @Param('amount', ParseIntPipe) amount: number,
    @Res({ passthrough: true }) answer: Answer,
  ): Promise<Receipt> {
    this.runs += 1;
    answer.header('X-Total', String(amount));
    return new Receipt(this.runs, amount);
  }

  @Post('unknown')
  @Idempotent(once('unknown'))
  async unknown(): Promise<never> {
    this.runs += 1;
    throw new NotFoundException(`run ${this.runs}`);
  }

  @Post('redirected')
  @Redirect('/receipts', 303)
  @Idempotent(once('redirected'))
  async redirected(): Promise<{ readonly url: string }> {
    this.runs += 1;
    return { url: `/receipts/${this.runs}` };
  }

  @Post('settled')
  @DistributedLock('settlement')
  async settled(): Promise<string> {
    return 'settled';
  }
}

@Module({ controllers: [PaymentsController] })
export class PaymentsModule {
  /** Starts whether the backend answers or not. */
  static on(backend: () => Backend): DynamicModule {
    const locks = BedrockLockModule.forRoot({
      backend,
      prefix: 'compat:',
      locks: ['settlement'],
      idempotency: ['payments'],
      defaults: { failFast: true },
      startDegraded: true,
    });
    return { module: PaymentsModule, imports: [locks] };
  }
}
