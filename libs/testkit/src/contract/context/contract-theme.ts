import type { Stage } from './stage.js';

/** Promises by their text; each is tried on a stage of its own. */
export type ContractTheme = Readonly<Record<string, (stage: Stage) => Promise<void>>>;
