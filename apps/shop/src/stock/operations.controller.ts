import { Body, Controller, Delete, Get, NotFoundException, Param, Put } from '@nestjs/common';
import type { DeductionRequest, Operation } from '../common/contract.js';
import { DeductionPipe } from './deduction.pipe.js';
import { OperationIdPipe } from './operation-id.pipe.js';
import { OperationsService } from './operations.service.js';

/** Operations under the ids that their callers chose. All requests may be repeated. */
@Controller('operations/:operationId')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  /** How the operation ended, now or before: `deducted`, `refused` or `cancelled`. After 409 and 503, retry. */
  @Put()
  deduct(
    @Param('operationId', OperationIdPipe) operationId: string,
    @Body(DeductionPipe) { lines }: DeductionRequest,
  ): Promise<Operation> {
    return this.operations.deduct(operationId, lines);
  }

  /** 404 while it has not ended: it may still be in flight. */
  @Get()
  async find(@Param('operationId', OperationIdPipe) operationId: string): Promise<Operation> {
    const operation = await this.operations.find(operationId);
    if (operation === undefined) throw new NotFoundException('the operation has not ended');
    return operation;
  }

  /** `cancelled`: it will never deduct. `deducted`: the deduction was faster. */
  @Delete()
  cancel(@Param('operationId', OperationIdPipe) operationId: string): Promise<Operation> {
    return this.operations.cancel(operationId);
  }
}
