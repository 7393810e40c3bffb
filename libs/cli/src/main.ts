#!/usr/bin/env node
import { EXIT } from './output/exit-codes.js';
import { runProgram } from './program.js';

// A reader such as `head` may close the output early. `bedrock run` writes nothing there.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

process.exitCode = await runProgram(process.argv.slice(2));
