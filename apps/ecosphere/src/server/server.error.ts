/** The server that the run needs is not there. The command ends with exit code 3. */
export class ServerError extends Error {}
