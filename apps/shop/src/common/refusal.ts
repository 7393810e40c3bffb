import { BadRequestException } from '@nestjs/common';
import type { Refusal } from './contract.js';

/** A 400 that names the request's field and its requirement. */
export function refusal(field: string, requirement: string): BadRequestException {
  const body: Refusal = {
    statusCode: 400,
    error: 'Bad Request',
    field,
    message: `${field} must be ${requirement}`,
  };
  return new BadRequestException(body);
}

/** The body of a request as an object with these fields. @throws BadRequestException for anything else */
export function fieldsOf(
  place: string,
  body: unknown,
  fields: readonly string[],
): Readonly<Record<string, unknown>> {
  const prefix = place === 'body' ? '' : `${place}.`;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refusal(place, `a JSON object with ${fields.join(' and ')}`);
  }
  const stranger = Object.keys(body).find((field) => !fields.includes(field));
  if (stranger !== undefined) throw refusal(`${prefix}${stranger.slice(0, 64)}`, 'left out');
  return body as Readonly<Record<string, unknown>>;
}
