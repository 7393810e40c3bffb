import { Injectable } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { InjectLock } from 'nestjs-bedrock';
import { SectionLog } from '../referee/section-log.js';
import { NumberStore } from '../store/number.store.js';

/** Flows that contend for one counter, each for a number of turns. */
@Injectable()
export class ContentionService {
  static readonly COUNTER = 'counter';
  readonly sections = new SectionLog();
  /** The flow of each section. */
  readonly order: number[] = [];

  constructor(
    @InjectLock('contention') private readonly lock: Mutex,
    private readonly numbers: NumberStore,
  ) {}

  async compete(flows: number, turns: number, onTurn: () => void): Promise<void> {
    const flow = async (number: number): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) {
        await this.lock.run(() => this.#increase(number));
        onTurn();
      }
    };
    await Promise.all(Array.from({ length: flows }, (_, number) => flow(number)));
  }

  /** A read, an await and a write: without mutual exclusion, increments get lost. */
  async #increase(flow: number): Promise<void> {
    const section = this.sections.enter();
    this.order.push(flow);
    const { COUNTER } = ContentionService;
    await this.numbers.write(COUNTER, (await this.numbers.read(COUNTER)) + 1);
    this.sections.leave(section);
  }
}
