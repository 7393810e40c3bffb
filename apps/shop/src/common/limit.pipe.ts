import { Injectable, type PipeTransform } from '@nestjs/common';
import { refusal } from './refusal.js';

const USUAL = 50;
const MOST = 1_000;

/** The number of rows in a list: `?limit=50`. @throws BadRequestException */
@Injectable()
export class LimitPipe implements PipeTransform<unknown, number> {
  transform(limit: unknown): number {
    if (limit === undefined) return USUAL;
    const number = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : Number.NaN;
    if (!(number >= 1 && number <= MOST)) throw refusal('limit', `a whole number from 1 to ${MOST}`);
    return number;
  }
}
