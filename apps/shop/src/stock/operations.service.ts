import { Injectable } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { DistributedLock, Idempotent, InjectLock } from 'nestjs-bedrock';
import type { Operation, OrderLine } from '../common/contract.js';
import type { TokenLine } from './deduction.js';
import { OperationRepository } from './operation.repository.js';

/** Carries operations out: one at a time of those that want the same goods, over all processes. */
@Injectable()
export class OperationsService {
  constructor(
    @InjectLock('goods') private readonly goods: Mutex,
    private readonly repository: OperationRepository,
  ) {}

  /**
   * Deducts all lines once under the operation id, or none. A repetition gets the answer of the first from its record, without
   * locks; where that is lost, from the book, whose key then has the last word.
   * @throws LockError: nothing of it is known to the caller, who asks again
   */
  @Idempotent({ idempotency: 'operations', operation: 'operations.deduct', key: '{0}' })
  @DistributedLock({ lock: 'goods', keys: goodsOf })
  async deduct(operationId: string, lines: readonly OrderLine[]): Promise<Operation> {
    // In one order for the rows too, so that transactions do not wait for each other crosswise.
    const inOrder = lines.toSorted((a, b) => (a.goodsId < b.goodsId ? -1 : 1));
    const withTokens = inOrder.map((line) => this.#withToken(line));
    return this.repository.deduct({ operationId, lines: await Promise.all(withTokens) });
  }

  /** As of now; undefined while it has not ended. */
  find(operationId: string): Promise<Operation | undefined> {
    return this.repository.find(operationId);
  }

  /** Without locks: it must get through when deductions wait for theirs, and the key of its row is enough. */
  cancel(operationId: string): Promise<Operation> {
    return this.repository.cancel(operationId);
  }

  /** The lock is held already, so this enters it again, without a trip. */
  #withToken(line: OrderLine): Promise<TokenLine> {
    return this.goods.for(line.goodsId).run((lease) => ({ ...line, token: lease.token }));
  }
}

function goodsOf(_operationId: string, lines: readonly OrderLine[]): readonly string[] {
  return lines.map(({ goodsId }) => goodsId);
}
