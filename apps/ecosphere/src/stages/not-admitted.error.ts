/** The lock was not granted in time. */
export class NotAdmittedError extends Error {}
