/** A wrong option. The command prints both lines and ends with exit code 2. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** What the caller can do. */
    readonly hint = 'npm run bench -- --help lists every option',
  ) {
    super(message);
  }
}
