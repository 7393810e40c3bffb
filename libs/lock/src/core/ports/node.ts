/** A node as this process sees it. */
export interface NodeView {
  readonly id: string;
  /** False: not asked at present, since it did not answer or would not grant. */
  readonly isAvailable: boolean;
  /** Since when it is not, epoch ms. */
  readonly unavailableSince?: number;
  /** Until when it grants nothing because its data may have been lost, epoch ms. */
  readonly quarantinedUntil?: number;
  /** The latest reason why it was not available. */
  readonly lastError?: Error;
  /** Of the latest answer, in ms. */
  readonly lastLatencyMs?: number;
}

/** What happens to nodes. */
export type NodeChange =
  | { readonly kind: 'unavailable'; readonly node: string; readonly error: Error }
  | { readonly kind: 'quarantined'; readonly node: string; readonly forMs: number }
  | { readonly kind: 'available'; readonly node: string; readonly awayMs: number }
  /** A node has lost a grant that is in use; the lease goes on as long as enough of them have it. */
  | {
      readonly kind: 'degraded';
      readonly node: string;
      readonly resource: string;
      readonly nodes: number;
      readonly minNodes: number;
    };

/** Watches the nodes of a backend that has several. */
export interface NodeMonitor {
  views(): readonly NodeView[];
  onChange(listener: (change: NodeChange) => void): () => void;
}
