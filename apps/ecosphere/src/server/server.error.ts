import { reasonOf } from '../report/reason-of.js';

/** A required server is unavailable. The command ends with exit code 3. */
export class ServerError extends Error {}

/** Waits for work that needs a server. @throws ServerError with the reason */
export async function asServerError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ServerError(reasonOf(error), { cause: error });
  }
}
