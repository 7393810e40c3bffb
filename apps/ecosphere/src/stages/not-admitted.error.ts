/** The lock was not granted in time. */
export class NotAdmittedError extends Error {
  constructor(waitMs: number) {
    super(`the lock was not granted within ${waitMs} ms`);
  }
}
