import type { ApiHeaderOptions } from '@nestjs/swagger';
import type { IdempotentSpec } from '../options/idempotent-spec.js';

type Header = ApiHeaderOptions & { readonly name: string };

/** The request headers that a handler with `@Idempotent()` reads. */
export function headersOf({ header, required, scopeHeader }: IdempotentSpec): readonly Header[] {
  const keyHeader: Header = {
    name: shown(header),
    required,
    description: 'Key that a request and its repetitions share: a repetition gets the first response.',
    schema: { type: 'string', example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"' },
  };
  if (scopeHeader === undefined) return [keyHeader];
  const scope: Header = {
    name: shown(scopeHeader),
    required: true,
    description: 'Owner of the idempotency key: keys of different owners are different.',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  };
  return [keyHeader, scope];
}

/** `idempotency-key` as people write it; HTTP ignores the case. */
function shown(header: string): string {
  return header.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
