export { BedrockHealthIndicator, type BedrockHealthOptions } from './terminus/bedrock-health.indicator.js';
export type { NodeHealth } from './terminus/node.health.js';
export type { BackendHealth } from './terminus/backend.monitor.js';
