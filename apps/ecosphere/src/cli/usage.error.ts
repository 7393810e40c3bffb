/** Where `npm start` explains itself. */
export const START_HINT = 'npm start -- --help lists every option';

/** A wrong option. The command prints both lines and ends with exit code 2. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** What the caller can do. */
    readonly hint = START_HINT,
  ) {
    super(message);
  }
}
