import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { PurchaseOrder } from './purchase.order.js';

/** Up to 64 letters, digits and marks: it is a key of the book, not a text. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;
/** Up to 64 characters, not only blanks; no control characters, and no lone surrogates. */
const BUYER = /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,64}$/u;
const FIELDS = ['buyer', 'requestId'];

/** The checked order in the body of a request. @throws BadRequestException that names the field */
@Injectable()
export class PurchasePipe implements PipeTransform<unknown, PurchaseOrder> {
  transform(body: unknown): PurchaseOrder {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw refusal('body', 'a JSON object with a buyer');
    }
    const stranger = Object.keys(body).find((field) => !FIELDS.includes(field));
    if (stranger !== undefined) {
      throw refusal(stranger.slice(0, 64), `absent: an order has only ${FIELDS.join(' and ')}`);
    }
    const { buyer, requestId = randomUUID() } = body as Record<string, unknown>;
    if (typeof buyer !== 'string' || !BUYER.test(buyer)) {
      throw refusal('buyer', 'a text of 1 to 64 characters');
    }
    if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) {
      throw refusal('requestId', '1 to 64 letters, digits, or any of _ . : -');
    }
    return { buyer, requestId };
  }
}

function refusal(field: string, requirement: string): BadRequestException {
  return new BadRequestException({
    statusCode: 400,
    error: 'Bad Request',
    field,
    message: `${field} must be ${requirement}`,
  });
}
