/** Messages from the starting process to a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly job: string; readonly input: unknown }
  | { readonly kind: 'go' }
  | { readonly kind: 'leave' };

/** Messages from a worker to the starting process. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly notice: string | undefined }
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly reason: string };
