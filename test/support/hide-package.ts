/** The start of a program (an ES module) in which a package is not installed. */
export function hidePackage(name: string): string {
  return `
    import Module from 'node:module';
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (request, ...rest) => {
      if (request !== '${name}') return resolve(request, ...rest);
      throw Object.assign(new Error("Cannot find module '${name}'"), { code: 'MODULE_NOT_FOUND' });
    };
  `;
}
