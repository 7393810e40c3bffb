/** Longest name of a lock, label or host that is shown whole, in characters. */
const MAX_NAME_LENGTH = 200;
/** Longest message that is shown whole, in characters: it may name several servers. */
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Text of strangers, such as the name of a lock, as one harmless line: control characters, escape sequences, marks that
 * turn the direction of writing and lone surrogates are shown by their numbers. A longer text is cut and says so.
 * @param maxLength in characters
 */
export function visible(text: string, maxLength = MAX_NAME_LENGTH): string {
  const shown = text.slice(0, maxLength);
  const escaped = shown.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return text.length > maxLength ? `${escaped}… (${text.length} characters)` : escaped;
}

/** The message of an error as one harmless line. */
export function visibleMessage({ message }: Error): string {
  return visible(message, MAX_MESSAGE_LENGTH);
}
