/** A reply of a server. Texts are byte strings. */
export type Reply = number | string | null | Status | Refusal | readonly Reply[];

/** A status, such as OK. */
export class Status {
  constructor(readonly text: string) {}
}

/** An error reply. */
export class Refusal {
  constructor(readonly text: string) {}
}

export const OK = new Status('OK');
export const WRONGTYPE = new Refusal('WRONGTYPE Operation against a key holding the wrong kind of value');
export const NOT_AN_INTEGER = new Refusal('ERR value is not an integer or out of range');
export const NOT_A_FLOAT = new Refusal('ERR value is not a valid float');
export const SYNTAX = new Refusal('ERR syntax error');
