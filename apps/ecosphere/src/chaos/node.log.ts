import { Injectable } from '@nestjs/common';
import type { Bedrock } from 'bedrock-lock';
import { BedrockService } from 'nestjs-bedrock';

/** A process's observations of the nodes of its combination. */
export interface NodeNotes {
  /** How often a node became unavailable, and how often one was found to have lost its data. */
  readonly gone: number;
  readonly quarantined: number;
  /** Nodes that serve again after their quarantine. */
  readonly back: number;
  readonly lostLeases: number;
}

/** Counts events; every count stays 0 without nodes. */
@Injectable()
export class NodeLog {
  readonly #notes = { gone: 0, quarantined: 0, back: 0, lostLeases: 0 };
  readonly #inQuarantine = new Set<string>();

  constructor(service: BedrockService) {
    this.#listenTo(service.bedrock());
  }

  get notes(): NodeNotes {
    return { ...this.#notes };
  }

  /** True once a node has completed its quarantine. */
  get isOneBack(): boolean {
    return this.#notes.back > 0;
  }

  #listenTo(bedrock: Bedrock): void {
    const notes = this.#notes;
    bedrock.on('node.unavailable', () => (notes.gone += 1));
    bedrock.on('lease.lost', () => (notes.lostLeases += 1));
    bedrock.on('node.quarantined', ({ node }) => {
      notes.quarantined += 1;
      this.#inQuarantine.add(node);
    });
    bedrock.on('node.available', ({ node }) => {
      if (this.#inQuarantine.delete(node)) notes.back += 1;
    });
  }
}
