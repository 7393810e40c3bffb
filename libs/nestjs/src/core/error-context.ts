import { InvalidOptionError } from 'bedrock-lock';

/** Runs a check. If it throws, puts the context before the message; the error keeps its class and fields. */
export function withErrorContext<T>(context: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error) prependContext(error, context);
    throw error;
  }
}

/**
 * Puts the context before the message of an option error. Any other error stays as it is, since the application threw
 * it.
 */
export function addErrorContext(error: unknown, context: string): unknown {
  if (error instanceof InvalidOptionError) prependContext(error, context);
  return error;
}

function prependContext(error: Error, context: string): void {
  const { message, stack } = error;
  error.message = `${context}: ${message}`;
  // Nest logs the stack of an error that stops the application, and the stack repeats the message.
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
}
