import { Injectable } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { DistributedLock, Idempotent, InjectLock } from 'nestjs-bedrock';
import type { Operation, OrderLine } from '../common/contract.js';
import type { TokenLine } from './deduction.js';
import { OperationRepository } from './operation.repository.js';

/** Executes operations: one at a time among those for the same goods, across all processes. */
@Injectable()
export class OperationsService {
  constructor(
    @InjectLock('goods') private readonly goods: Mutex,
    private readonly repository: OperationRepository,
  ) {}

  /**
   * Deducts all lines once under the operation id, or none. A repetition gets the first answer from its record, without
   * locks. If the record is lost, the book answers, whose key is decisive in the end.
   * @throws LockError: the caller learns nothing of the outcome, and retries
   */
  @Idempotent({ idempotency: 'operations', operation: 'operations.deduct', key: '{0}' })
  @DistributedLock({ lock: 'goods', keys: goodsOf })
  async deduct(operationId: string, lines: readonly OrderLine[]): Promise<Operation> {
    // One order for the rows too, so that transactions do not deadlock.
    const inOrder = lines.toSorted((a, b) => (a.goodsId < b.goodsId ? -1 : 1));
    const withTokens = inOrder.map((line) => this.#withToken(line));
    return this.repository.deduct({ operationId, lines: await Promise.all(withTokens) });
  }

  /** The present state; undefined while the operation has not ended. */
  find(operationId: string): Promise<Operation | undefined> {
    return this.repository.find(operationId);
  }

  /** Without locks: it must succeed while deductions wait for theirs, and the key of its row suffices. */
  cancel(operationId: string): Promise<Operation> {
    return this.repository.cancel(operationId);
  }

  /** The lock is already held, so this re-enters it without a round trip. */
  #withToken(line: OrderLine): Promise<TokenLine> {
    return this.goods.for(line.goodsId).run((lease) => ({ ...line, token: lease.token }));
  }
}

function goodsOf(_operationId: string, lines: readonly OrderLine[]): readonly string[] {
  return lines.map(({ goodsId }) => goodsId);
}
