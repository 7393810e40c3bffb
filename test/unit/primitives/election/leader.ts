import type { LeaderTerm } from 'bedrock-lock';
import { ExclusionChecker } from 'bedrock-testkit';

/** A body that leads until its term is over, and says what it saw. */
export class Body {
  readonly terms: LeaderTerm[] = [];
  readonly witness = new ExclusionChecker();
  readonly run = async (term: LeaderTerm): Promise<void> => {
    this.terms.push(term);
    await this.witness.run(() => ended(term), { token: term.token });
  };
}

/** Resolves when the term is over. */
export function ended({ signal }: LeaderTerm): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
