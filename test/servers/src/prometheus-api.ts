const READY_WITHIN_MS = 1_000;
const ANSWERED_WITHIN_MS = 10_000;

/** A series that a query has answered, with its value now. */
export interface PrometheusSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A time in seconds and a number as text. */
type Sample = readonly [time: number, value: string];

/** The data of an instant query. */
type Answer =
  | {
      readonly resultType: 'vector';
      readonly result: readonly {
        readonly metric: Readonly<Record<string, string>>;
        readonly value: Sample;
      }[];
    }
  | { readonly resultType: 'scalar'; readonly result: Sample }
  | { readonly resultType: 'matrix' | 'string'; readonly result: unknown };

type Reply =
  | { readonly status: 'success'; readonly data: Answer }
  | { readonly status: 'error'; readonly errorType: string; readonly error: string };

/** Whether the server takes queries. */
export async function prometheusIsReady(url: string): Promise<boolean> {
  const { ok } = await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(READY_WITHIN_MS) });
  return ok;
}

/**
 * The series that an instant query answers; a scalar is one series without labels.
 * @throws Error with the query and the reason, where the server refuses it or the answer is of another type
 */
export async function queryPrometheus(url: string, promql: string): Promise<readonly PrometheusSeries[]> {
  const answered = await fetch(`${url}/api/v1/query`, {
    method: 'POST',
    body: new URLSearchParams({ query: promql }),
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  });
  const reply = (await answered.json()) as Reply;
  if (reply.status !== 'success')
    throw new Error(`Prometheus refuses "${promql}": ${reply.errorType}: ${reply.error}`);
  const { data } = reply;
  if (data.resultType === 'vector')
    return data.result.map(({ metric, value }) => ({ labels: metric, value: numberIn(value) }));
  if (data.resultType === 'scalar') return [{ labels: {}, value: numberIn(data.result) }];
  throw new Error(`"${promql}" answers a ${data.resultType}, which is no instant value`);
}

function numberIn([, text]: Sample): number {
  // Number() does not know the short form.
  return Number(text.replace('Inf', 'Infinity'));
}
