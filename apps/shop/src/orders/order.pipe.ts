import { Injectable, type PipeTransform } from '@nestjs/common';
import { checkLines } from '../common/check-lines.js';
import type { OrderRequest } from '../common/contract.js';
import { fieldsOf, refusal } from '../common/refusal.js';

/** Up to 64 characters, not only blanks; no control characters, and no lone surrogates. */
const CUSTOMER = /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,64}$/u;

/** The checked order in the body of a request. @throws BadRequestException that names the field */
@Injectable()
export class OrderPipe implements PipeTransform<unknown, OrderRequest> {
  transform(body: unknown): OrderRequest {
    const { customer, lines } = fieldsOf('body', body, ['customer', 'lines']);
    if (typeof customer !== 'string' || !CUSTOMER.test(customer)) {
      throw refusal('customer', 'a text of 1 to 64 characters');
    }
    return { customer, lines: checkLines(lines) };
  }
}
