/** A command to a contending process. */
export type ContenderCommand =
  /** Acquire nothing more, and end. */
  | { readonly kind: 'finish' }
  /** Block the event loop for this time. */
  | { readonly kind: 'block'; readonly ms: number };

/** A request of a contending process: to be stopped for this time. */
export interface ContenderRequest {
  readonly kind: 'nap';
  readonly ms: number;
}
