/**
 * Time of one request in the contract and in the fixtures of single backends, in ms. Beside two busy loops a single
 * statement of a database was seen to take 350 ms, for want of a core. A release is three of them on a new
 * connection, and must not be `unconfirmed` for that.
 */
export const OPERATION_TIMEOUT_MS = 3_000;
