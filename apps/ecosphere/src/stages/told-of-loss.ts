import { LockLostError } from 'bedrock-lock';

/** Whether a holder learned, at the end of its turn, that it had lost the lock. Other errors are passed on. */
export async function isToldOfLoss(turn: Promise<unknown>): Promise<boolean> {
  try {
    await turn;
    return false;
  } catch (error) {
    if (error instanceof LockLostError) return true;
    throw error;
  }
}
