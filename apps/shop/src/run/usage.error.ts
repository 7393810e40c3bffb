/** A wrong option. The command prints both lines and ends with exit code 2. */
export class UsageError extends Error {
  readonly code = 'USAGE';

  constructor(
    /** As typed: `--orders`. */
    readonly option: string,
    message: string,
    /** What the caller can do. */
    readonly hint = 'npm run shop -- --help lists every option',
  ) {
    super(message);
    this.name = 'UsageError';
  }
}
