/** A wrong option. The command prints both lines and ends with exit code 2. */
export class UsageError extends Error {
  readonly code = 'USAGE';

  constructor(
    /** As it was typed: `--orders`. */
    readonly option: string,
    message: string,
    /** What to do about it. */
    readonly hint = 'npm run shop -- --help lists every option',
  ) {
    super(message);
    this.name = 'UsageError';
  }
}
