/** `a replica`, `3 replicas`. @param noun in the singular */
export function countText(count: number, noun: string): string {
  return count === 1 ? `a ${noun}` : `${count} ${noun}s`;
}
