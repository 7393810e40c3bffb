import { BackendUnavailableError } from 'bedrock-lock';

/** Treats "the backend is unavailable" as false, for conditions on a connection that comes back. */
export function unlessUnavailable(isSo: () => Promise<boolean>): () => Promise<boolean> {
  return async () => {
    try {
      return await isSo();
    } catch (error) {
      if (error instanceof BackendUnavailableError) return false;
      throw error;
    }
  };
}
