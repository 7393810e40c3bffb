import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/** The tables as the business had them: nothing but a unique index, added later, prevents duplicate orders. */
const DEFINITIONS = {
  tb_order: `(
    row_no bigint primary key auto_increment,
    id varchar(64) not null,
    goods_id varchar(64) not null,
    num int not null,
    create_time datetime not null default current_timestamp
  )`,
  tb_duplicate: '(id varchar(64) not null, unique key uk_id (id))',
  // Signed: on an unsigned column, "amount - num >= 0" would be a range error instead of false.
  tb_stock: '(goods_id varchar(64) primary key, amount int not null, version int not null default 0)',
  tb_account: '(user_id varchar(64) primary key, balance int not null)',
} as const;

type TableName = keyof typeof DEFINITIONS;

/** The tables of the business: created anew for every way, and counted after it. */
@Injectable()
export class Tables {
  constructor(private readonly database: Database) {}

  async renew(...names: readonly TableName[]): Promise<void> {
    await this.database.session(async (link) => {
      for (const name of names) {
        await link.command(`drop table if exists ${name}`);
        await link.command(`create table ${name} ${DEFINITIONS[name]} engine = InnoDB`);
      }
    });
  }

  /** From now on, the database refuses an existing id. */
  async makeOrdersUnique(): Promise<void> {
    await this.database.session((link) => link.command('alter table tb_order add unique key uk_id (id)'));
  }

  async putStock(goodsId: string, amount: number): Promise<void> {
    await this.database.session((link) =>
      link.change('insert into tb_stock (goods_id, amount) values (?, ?)', [goodsId, amount]),
    );
  }

  async putAccount(userId: string, balance: number): Promise<void> {
    await this.database.session((link) =>
      link.change('insert into tb_account (user_id, balance) values (?, ?)', [userId, balance]),
    );
  }

  orders(): Promise<number> {
    return this.#number('select count(*) as number from tb_order');
  }

  /** Items on all shelves together. */
  stockLeft(): Promise<number> {
    return this.#number('select sum(amount) as number from tb_stock');
  }

  /** Money of all customers together. */
  moneyLeft(): Promise<number> {
    return this.#number('select sum(balance) as number from tb_account');
  }

  async #number(sql: string): Promise<number> {
    const [row] = await this.database.session((link) => link.rows<{ number: string | number }>(sql));
    return Number(row!.number);
  }
}
