/** The known name that the caller most likely meant: at most two letters away. */
export function nearestName<N extends string>(name: string, known: readonly N[]): N | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .sort((one, other) => one.distance - other.distance);
  return best?.candidate;
}

/** Levenshtein distance, row by row. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, counterpart] of [...other].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === counterpart ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length]!;
}
