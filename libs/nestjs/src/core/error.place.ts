import { InvalidOptionError } from 'bedrock-lock';

/** Runs a check and, when it throws, puts the place before the message; the error keeps its class and fields. */
export function at<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error) putBefore(error, place);
    throw error;
  }
}

/** An error about an option with its place before the message; any other error as it is, since the application threw it. */
export function placed(error: unknown, place: string): unknown {
  if (error instanceof InvalidOptionError) putBefore(error, place);
  return error;
}

function putBefore(error: Error, place: string): void {
  const { message, stack } = error;
  error.message = `${place}: ${message}`;
  // Nest logs the stack of what stops an application, and that repeats the message.
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
}
