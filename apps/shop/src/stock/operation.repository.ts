import { Injectable, UnprocessableEntityException } from '@nestjs/common';
import type { Operation, OperationState, OrderLine } from '../common/contract.js';
import { Database, type Session } from '../common/database.js';
import { DuplicateKeyError } from '../common/duplicate-key.error.js';
import type { Deduction, TokenLine } from './deduction.js';

interface Row {
  readonly state: OperationState;
  readonly order_lines: string | null;
  readonly reason: string | null;
  readonly flows: number;
}

const LATE_REASON = 'the operation was cancelled before it was executed';

/**
 * The operations, each of which ends once. The first row under the operation id, of a deduction or of a cancellation,
 * is final. All methods may be repeated, and throw DatabaseError.
 */
@Injectable()
export class OperationRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deducts all lines from the stock or, if one is not available, none: then the operation is refused for good.
   * @returns how the operation has ended, now or before
   * @throws UnprocessableEntityException if it has ended with other lines
   */
  async deduct({ operationId, lines }: Deduction): Promise<Operation> {
    try {
      return await this.database.transaction(async (session) => {
        const insert = 'INSERT INTO operations (operation_id, state, order_lines) VALUES (?, ?, ?)';
        await session.change(insert, [operationId, 'deducted', textOf(lines)]);
        await session.change('SAVEPOINT untouched');
        for (const line of lines) {
          if (await take(session, operationId, line)) continue;
          const reason = await reasonAgainst(session, line);
          await session.change('ROLLBACK TO SAVEPOINT untouched');
          const refuse = "UPDATE operations SET state = 'refused', reason = ? WHERE operation_id = ?";
          await session.change(refuse, [reason, operationId]);
          return { operationId, state: 'refused', reason, flows: 0 };
        }
        return { operationId, state: 'deducted', flows: lines.length };
      });
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error;
      return this.#ended(operationId, lines);
    }
  }

  /** Ensures that the operation never deducts, unless it has: then it stays deducted. */
  async cancel(operationId: string): Promise<Operation> {
    try {
      await this.database.transaction((session) =>
        session.change("INSERT INTO operations (operation_id, state, reason) VALUES (?, 'cancelled', ?)", [
          operationId,
          LATE_REASON,
        ]),
      );
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error;
    }
    return this.#ended(operationId);
  }

  /** Undefined while it has not ended. */
  async find(operationId: string): Promise<Operation | undefined> {
    const row = await this.#row(operationId);
    return row && operationOf(operationId, row);
  }

  async #ended(operationId: string, lines?: readonly OrderLine[]): Promise<Operation> {
    const row = (await this.#row(operationId))!;
    if (lines !== undefined && row.order_lines !== null && row.order_lines !== textOf(lines)) {
      throw new UnprocessableEntityException('the operation id belongs to other lines');
    }
    return operationOf(operationId, row);
  }

  async #row(operationId: string): Promise<Row | undefined> {
    const [row] = await this.database.snapshot((session) =>
      session.rows<Row>(
        `SELECT state, order_lines, reason,
           (SELECT COUNT(*) FROM flows WHERE flows.operation_id = operations.operation_id) AS flows
         FROM operations WHERE operation_id = ?`,
        [operationId],
      ),
    );
    return row;
  }
}

/** False if the stock is too low, or the goods do not exist. */
async function take(session: Session, operationId: string, line: TokenLine): Promise<boolean> {
  const { goodsId, quantity, token } = line;
  const deduct = 'UPDATE goods SET amount = amount - ? WHERE goods_id = ? AND amount - ? >= 0';
  if ((await session.change(deduct, [quantity, goodsId, quantity])) === 0) return false;
  const insert = 'INSERT INTO flows (operation_id, goods_id, quantity, token) VALUES (?, ?, ?, ?)';
  await session.change(insert, [operationId, goodsId, quantity, token]);
  return true;
}

async function reasonAgainst(session: Session, { goodsId, quantity }: OrderLine): Promise<string> {
  const [row] = await session.rows<{ amount: number }>('SELECT amount FROM goods WHERE goods_id = ?', [
    goodsId,
  ]);
  return row === undefined
    ? `there are no goods ${goodsId}`
    : `out of stock: ${quantity} of ${goodsId} were wanted, ${row.amount} are left`;
}

function operationOf(operationId: string, { state, reason, flows }: Row): Operation {
  return { operationId, state, ...(reason !== null && { reason }), flows };
}

/** The lines alone: a repetition holds its locks under other tokens. */
function textOf(lines: readonly OrderLine[]): string {
  return JSON.stringify(lines.map(({ goodsId, quantity }) => [goodsId, quantity]));
}
