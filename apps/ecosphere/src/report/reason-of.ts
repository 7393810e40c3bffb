/** The reason of a failure, in one line; with DEBUG set, with its stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (process.env['DEBUG'] && error.stack !== undefined) return error.stack;
  const text = error.message === '' ? error.name : error.message;
  return text.split('\n', 1)[0]!;
}
