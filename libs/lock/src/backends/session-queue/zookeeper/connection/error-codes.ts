import { notExecuted, noAnswer } from './failures.js';
import { NodeFault, type FaultCode } from './link.js';

const FAULTS: Readonly<Record<number, FaultCode>> = {
  [-101]: 'NO_NODE',
  [-103]: 'BAD_VERSION',
  [-110]: 'NODE_EXISTS',
  [-111]: 'NOT_EMPTY',
};
const REFUSALS: Readonly<Record<number, string>> = {
  [-102]: 'its access list does not allow this: give the credentials that made the nodes',
  [-112]: 'the session has expired',
  [-115]: 'it does not accept the credentials',
};

/** What the server's codes mean. @param step which of several steps it was */
export function errorFor(code: number, step: number, cause?: unknown): Error {
  const fault = FAULTS[code];
  if (fault !== undefined) return new NodeFault(fault, step);
  const refusal = REFUSALS[code];
  return refusal === undefined ? noAnswer('the connection was lost', cause) : notExecuted(refusal, cause);
}
