export { BedrockHealthIndicator, type BedrockHealthOptions } from './terminus/bedrock-health.indicator.js';
export type { BackendHealth } from './terminus/backend.watch.js';
