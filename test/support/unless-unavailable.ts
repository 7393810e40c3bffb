import { BackendUnavailableError } from 'bedrock-lock';

/** Counts "the backend cannot be reached" as no, for facts about a connection that comes back. */
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
