/** Runs a check and, when it throws, puts the place before the message; the error keeps its class and fields. */
export function at<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Error) error.message = `${place}: ${error.message}`;
    throw error;
  }
}
