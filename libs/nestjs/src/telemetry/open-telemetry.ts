import type { InstrumentOptions } from 'bedrock-lock/opentelemetry';
import type { Telemetry } from '../options/bedrock-lock.options.js';
import { checkPackage } from './check-package.js';

/**
 * Metrics and spans in OpenTelemetry, as `instrument()` of `bedrock-lock/opentelemetry` writes them, for every backend of
 * the module. The spans of a method with `@DistributedLock()` name it (`code.function.name`).
 * @param options checked at the start of the application, which fails with an `InvalidOptionError` for a wrong one or a
 * missing package
 */
export function openTelemetry(options: InstrumentOptions = {}): Telemetry {
  return {
    async start(bedrock) {
      // On demand, since the package is optional.
      await checkPackage('@opentelemetry/api', () => import('@opentelemetry/api'));
      const { instrument, withCodeFunction } = await import('bedrock-lock/opentelemetry');
      const stop = instrument(bedrock, options);
      return options.tracer === false ? { stop } : { stop, inMethod: withCodeFunction };
    },
  };
}
