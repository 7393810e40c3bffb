import { InvalidOptionError } from 'bedrock-lock';

/**
 * Loads an optional package before the module that needs it: Node 20 ends the process when the import fails inside a
 * re-export. @throws InvalidOptionError if the package is not installed
 */
export async function checkPackage(name: string, load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    // To `import`, and to `require()`.
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    const missing = new InvalidOptionError('telemetry', `used with ${name}: npm install ${name}`, undefined);
    missing.cause = error;
    throw missing;
  }
}
