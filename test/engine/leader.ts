import type { LeaderTerm } from 'bedrock-lock';

/** A body that leads until its term is over, and says what it saw. */
export class Body {
  readonly terms: LeaderTerm[] = [];
  running = 0;
  most = 0;
  readonly run = async (term: LeaderTerm): Promise<void> => {
    this.terms.push(term);
    this.most = Math.max(this.most, ++this.running);
    await ended(term);
    this.running -= 1;
  };
}

/** Resolves when the term is over. */
export function ended({ signal }: LeaderTerm): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
