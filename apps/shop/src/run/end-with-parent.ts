/**
 * Preloaded by `node --import` into child processes of the run. The child ends when its standard input does, so it ends
 * even if the run was killed.
 */
process.stdin.on('end', () => process.exit(1)).resume();
// Reading must not keep the process alive.
process.stdin.unref();
