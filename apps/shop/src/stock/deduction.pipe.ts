import { Injectable, type PipeTransform } from '@nestjs/common';
import { checkLines } from '../common/check-lines.js';
import type { DeductionRequest } from '../common/contract.js';
import { fieldsOf } from '../common/refusal.js';

/** The checked deduction in the body of a request. @throws BadRequestException that names the field */
@Injectable()
export class DeductionPipe implements PipeTransform<unknown, DeductionRequest> {
  transform(body: unknown): DeductionRequest {
    return { lines: checkLines(fieldsOf('body', body, ['lines'])['lines']) };
  }
}
