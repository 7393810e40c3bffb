export { combination } from './backends/combination/combination-backend.js';
export type { CombinationOptions, ProbeOptions } from './backends/combination/combination-options.js';
