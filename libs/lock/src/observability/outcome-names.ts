/** Outcomes whose names in code differ from those in metrics and spans by more than their case. */
const NAMES: Readonly<Record<string, string>> = { timedOut: 'timeout' };

/** An outcome or a reason as metrics and spans name it: in snake case, as the semantic conventions ask. */
export function outcomeName(name: string): string {
  return NAMES[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
