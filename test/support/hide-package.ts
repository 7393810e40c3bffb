/** The start of a program (an ES module) in which some packages are not installed, neither for `import` nor `require()`. */
export function hidePackage(...names: readonly string[]): string {
  const hidden = JSON.stringify(names);
  const resolver = `
    export function resolve(specifier, context, next) {
      if (!${hidden}.includes(specifier)) return next(specifier, context);
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
    }
  `;
  return `
    import Module from 'node:module';
    Module.register('data:text/javascript,${encodeURIComponent(resolver).replaceAll("'", '%27')}');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (request, ...rest) => {
      if (!${hidden}.includes(request)) return resolve(request, ...rest);
      throw Object.assign(new Error("Cannot find module '" + request + "'"), { code: 'MODULE_NOT_FOUND' });
    };
  `;
}
