import { reasonOf } from '../report/reason-of.js';

/** The server that the run needs is not there. The command ends with exit code 3. */
export class ServerError extends Error {}

/** Waits for what a server is needed for. @throws ServerError with the reason */
export async function asServerError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ServerError(reasonOf(error), { cause: error });
  }
}
