/** The part of the `index`th of `parties` when `total` is distributed as evenly as possible. */
export function shareOf(total: number, parties: number, index: number): number {
  return Math.floor(total / parties) + (index < total % parties ? 1 : 0);
}
