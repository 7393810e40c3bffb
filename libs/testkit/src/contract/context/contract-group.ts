import type { ContractContext } from './contract-context.js';

/** Promises by their text; each runs in a context of its own. */
export type ContractGroup = Readonly<Record<string, (context: ContractContext) => Promise<void>>>;
