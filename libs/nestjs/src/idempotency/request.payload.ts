/** Members of an Express or Fastify request that this package reads. */
export interface HttpRequest {
  /** Present on Fastify. */
  readonly raw?: { readonly rawHeaders?: readonly string[] };
  /** As received: names and values alternate. */
  readonly rawHeaders?: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly body?: unknown;
}

/** Their bodies have no meaning, and Fastify does not read them. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * What must match under one key: method, URL and body. Undefined if the body cannot be compared: an interceptor or the
 * handler reads it later, as file uploads do, or keeps its files elsewhere.
 */
export function payloadOf(request: HttpRequest): object | undefined {
  const { method, url, originalUrl, body, headers } = request;
  const isUnread =
    hasBody(request) && (body === undefined || /^multipart\//i.test(String(headers['content-type'])));
  return isUnread ? undefined : { method, url: originalUrl ?? url, body: body ?? null };
}

function hasBody({ method, headers }: HttpRequest): boolean {
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return isSent && !WITHOUT_BODY.has(method);
}

/** Whether the client sent a header more than once; Node joins the values. @param name in lower case */
export function isRepeated({ raw, rawHeaders = raw?.rawHeaders ?? [] }: HttpRequest, name: string): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length > 1;
}
