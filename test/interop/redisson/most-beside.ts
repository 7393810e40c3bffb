import type { History } from 'bedrock-testkit';

/** The most that have held at the same time: what shows that they ran beside each other. `assertHistory` judges whether they may. */
export function mostBeside(history: History): number {
  const steps = history
    .flatMap(({ kind, at }) =>
      kind === 'acquired' ? [{ at, by: 1 }] : kind === 'releasing' ? [{ at, by: -1 }] : [],
    )
    .sort((a, b) => a.at - b.at);
  let beside = 0;
  return Math.max(...steps.map(({ by }) => (beside += by)));
}
