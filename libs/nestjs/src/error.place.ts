/** Runs a check and, when it throws, puts the place before the message; the error keeps its class and fields. */
export function at<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error) {
      const { message, stack } = error;
      error.message = `${place}: ${message}`;
      // Nest logs the stack of what stops an application, and that repeats the message.
      if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
    }
    throw error;
  }
}
