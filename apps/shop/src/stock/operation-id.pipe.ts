import { Injectable, type PipeTransform } from '@nestjs/common';
import { refusal } from '../common/refusal.js';

/** A key of the database. */
const OPERATION_ID = /^[\w-]{8,64}$/;

/** The checked operation id of a URL. @throws BadRequestException */
@Injectable()
export class OperationIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!OPERATION_ID.test(id)) throw refusal('operationId', '8 to 64 letters, digits, _ or -');
    return id;
  }
}
