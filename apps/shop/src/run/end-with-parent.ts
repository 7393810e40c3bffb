/**
 * Preloaded by `node --import` into what the run starts: it ends when its standard input does, so it never outlives a run that
 * was killed.
 */
process.stdin.on('end', () => process.exit(1)).resume();
// Reading it must not be what keeps the process.
process.stdin.unref();
