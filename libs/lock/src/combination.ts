export { combination } from './backends/combination/combination-backend.js';
export type { CombinationOptions, ProbeOptions } from './backends/combination/combination-options.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
