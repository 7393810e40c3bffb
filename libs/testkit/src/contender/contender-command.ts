/** What a contending process may be told. */
export type ContenderCommand =
  /** Ask for nothing more, and end. */
  | { readonly kind: 'finish' }
  /** Compute for so long, as far as the event loop can tell. */
  | { readonly kind: 'block'; readonly ms: number };

/** What a contending process may ask for: to be stopped for so long. */
export interface ContenderRequest {
  readonly kind: 'nap';
  readonly ms: number;
}
