import type {
  Claim,
  ClaimRef,
  CounterDriver,
  HeldRef,
  PermitDriver,
  RecordDriver,
  WithdrawOptions,
} from 'bedrock-lock/backend';

/** What goes wrong with one call. `executed` is the caller's answer, as a real client would report it. */
export type Fault = (
  | /** The server is not reachable: not executed, and the caller knows it. */ { readonly kind: 'refuse' }
  | /** The driver throws this error, without having asked. */ {
      readonly kind: 'fail';
      readonly error: Error;
    }
  | /** Never executed; the caller cannot know. */ { readonly kind: 'loseRequest' }
  | /** Executed; the caller cannot know. */ { readonly kind: 'loseReply' }
  | /** Arrives twice; the caller gets the first answer. */ { readonly kind: 'double' }
  | /** Never executed; the caller learns nothing until `operationTimeoutMs`. */ { readonly kind: 'hang' }
  | /** The caller gets this answer, and nothing was asked. */ {
      readonly kind: 'answer';
      readonly answer: unknown;
    }
    /** Delays the call. The caller gives up at `giveUpMs`, but the request still arrives. */
  | {
      readonly kind: 'delay';
      readonly requestMs?: number;
      readonly replyMs?: number;
      /** @default operationTimeoutMs */
      readonly giveUpMs?: number;
    }
) & {
  /** True: calls do not use up the fault. */
  readonly forEver?: boolean;
};

/** The verbs of a driver by `driver.verb`, with their arguments. */
export type DriverInput<Driver extends string, Verbs> = {
  readonly [V in keyof Verbs & string as `${Driver}.${V}`]: Verbs[V] extends (...args: infer A) => unknown
    ? A
    : never;
};

/** The arguments of each verb. */
export interface VerbInput
  extends
    DriverInput<'counters', CounterDriver>,
    DriverInput<'permits', PermitDriver>,
    DriverInput<'records', RecordDriver> {
  readonly claim: Claim;
  readonly claimAll: readonly Claim[];
  readonly renew: readonly HeldRef[];
  readonly withdraw: { readonly ref: ClaimRef; readonly options: WithdrawOptions };
  readonly annotate: { readonly ref: ClaimRef; readonly note: { readonly depth: number } };
  readonly inspect: string;
  readonly revoke: {
    readonly resource: string;
    readonly how: 'atExpiry' | 'now';
    readonly holder?: string;
  };
  readonly watch: string;
}

export type Verb = keyof VerbInput;

/** One call that reached the backend. */
export interface BackendCall<V extends Verb = Verb> {
  readonly verb: V;
  readonly input: VerbInput[V];
  /** In ms of the backend's clock. */
  readonly at: number;
  readonly fault?: Fault['kind'];
}
