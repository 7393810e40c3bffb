import { Injectable } from '@nestjs/common';
import { NumberStore } from '../store/number.store.js';

/** The number of items left. Reading and writing are two steps; only the lock keeps other buyers out between them. */
@Injectable()
export class StockStore {
  static readonly NAME = 'stock';

  constructor(private readonly numbers: NumberStore) {}

  read(): Promise<number> {
    return this.numbers.read(StockStore.NAME);
  }

  write(left: number): Promise<void> {
    return this.numbers.write(StockStore.NAME, left);
  }
}
