import { Injectable } from '@nestjs/common';
import type { Balance, Flow, FlowList, StockBooks, StockRow } from '../common/contract.js';
import { Database, type Session } from '../common/database.js';

interface FlowRow extends Omit<Flow, 'at'> {
  readonly at: Date;
}

/** The stored stock and flows; each method reads one snapshot. All throw DatabaseError. */
@Injectable()
export class StockBooksService {
  constructor(private readonly database: Database) {}

  /** Adds missing goods; existing ones keep their amounts. */
  async add(stock: ReadonlyMap<string, number>): Promise<void> {
    await this.database.transaction(async (session) => {
      for (const [goodsId, amount] of stock) {
        const insert = 'INSERT IGNORE INTO goods (goods_id, start_amount, amount) VALUES (?, ?, ?)';
        await session.change(insert, [goodsId, amount, amount]);
      }
    });
  }

  /** Sorted by name of the goods. */
  stock(): Promise<readonly StockRow[]> {
    return this.database.snapshot(stockRows);
  }

  flows(limit: number): Promise<FlowList> {
    return this.database.snapshot((session) => flowList(session, limit));
  }

  books(limit: number): Promise<StockBooks> {
    return this.database.snapshot(async (session) => ({
      stock: await stockRows(session),
      ...(await flowList(session, limit)),
    }));
  }

  async balance(): Promise<Balance> {
    const goods = await this.stock();
    return {
      holds: goods.every(({ start, sold, amount }) => start - sold === amount && amount >= 0),
      goods,
    };
  }
}

async function stockRows(session: Session): Promise<readonly StockRow[]> {
  const rows = await session.rows<StockRow>(
    `SELECT goods_id AS goodsId, start_amount AS start, amount,
       (SELECT COALESCE(SUM(quantity), 0) FROM flows WHERE flows.goods_id = goods.goods_id) AS sold
     FROM goods ORDER BY goods_id`,
  );
  // A sum arrives as text.
  return rows.map((row) => ({ ...row, sold: Number(row.sold) }));
}

async function flowList(session: Session, limit: number): Promise<FlowList> {
  const [counted] = await session.rows<{ total: number }>('SELECT COUNT(*) AS total FROM flows');
  const rows = await session.rows<FlowRow>(
    `SELECT id, operation_id AS operationId, goods_id AS goodsId, quantity, token, written_at AS at
     FROM flows ORDER BY id DESC LIMIT ?`,
    [limit],
  );
  return { total: counted!.total, flows: rows.map((row) => ({ ...row, at: row.at.toISOString() })) };
}
