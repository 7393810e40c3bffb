import { Injectable } from '@nestjs/common';
import { Mutex, multiLock } from 'bedrock-lock';
import { Idempotent, InjectLock } from 'nestjs-bedrock';
import type { Operation, OrderLine } from '../common/contract.js';
import { OperationBook } from './operation.book.js';

/** Carries operations out: one at a time of those that want the same goods, over all processes. */
@Injectable()
export class OperationsService {
  constructor(
    @InjectLock('goods') private readonly goods: Mutex,
    private readonly book: OperationBook,
  ) {}

  /**
   * Deducts all lines once under the operation id, or none. A repetition gets the answer of the first from its record; where
   * that is lost, from the book, whose key then has the last word.
   *
   * The goods are as many as the order says, so their locks come from a multi-lock: a decorator stands for one.
   * @throws LockError: nothing of it is known to the caller, who asks again
   */
  @Idempotent({ idempotency: 'operations', key: '{0}' })
  async deduct(operationId: string, lines: readonly OrderLine[]): Promise<Operation> {
    // In one order for the rows too, so that transactions do not wait for each other crosswise.
    const inOrder = lines.toSorted((a, b) => (a.goodsId < b.goodsId ? -1 : 1));
    const locks = inOrder.map(({ goodsId }) => this.goods.for(goodsId));
    return multiLock(locks).run((lease) =>
      this.book.deduct({
        operationId,
        lines: inOrder.map((line, at) => ({ ...line, token: lease.leaseOf(locks[at]!).token })),
      }),
    );
  }

  /** As of now; undefined while it has not ended. */
  find(operationId: string): Promise<Operation | undefined> {
    return this.book.find(operationId);
  }

  /** Without locks: it must get through when deductions wait for theirs, and the key of its row is enough. */
  cancel(operationId: string): Promise<Operation> {
    return this.book.cancel(operationId);
  }
}
