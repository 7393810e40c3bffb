/** The part of the `index`th of `parties` when `total` is dealt out as evenly as it goes. */
export function shareOf(total: number, parties: number, index: number): number {
  return Math.floor(total / parties) + (index < total % parties ? 1 : 0);
}
