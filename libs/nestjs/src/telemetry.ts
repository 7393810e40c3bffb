export { openTelemetry } from './telemetry/open-telemetry.js';
export { prometheus } from './telemetry/prometheus.js';
export type { RunningTelemetry, Telemetry } from './options/bedrock-lock.options.js';

// So that the compiler can name types of the main entry in programs that do not import it.
export type {} from './index.js';
