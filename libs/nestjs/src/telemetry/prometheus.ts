import type { CollectOptions } from 'bedrock-lock/prometheus';
import type { Telemetry } from '../options/bedrock-lock.options.js';
import { checkPackage } from './check-package.js';

/**
 * Metrics in a registry of prom-client, as `collect()` of `bedrock-lock/prometheus` writes them, for every backend of the
 * module.
 * @param options checked at the start of the application, which fails with an `InvalidOptionError` for a wrong one or a
 * missing package
 */
export function prometheus(options: CollectOptions): Telemetry {
  return {
    async start(bedrock) {
      // On demand, since the package is optional.
      await checkPackage('prom-client', () => import('prom-client'));
      const { collect } = await import('bedrock-lock/prometheus');
      return { stop: collect(bedrock, options) };
    },
  };
}
