/**
 * Resolves packages of this workspace to their sources, also where Jest asks without conditions: it does so when it looks for
 * the tests that depend on a changed file, and would find the build instead.
 */
const SOURCE = ['@bedrock/source', 'node', 'node-addons', 'import', 'require', 'default'];

module.exports = (path, options) =>
  options.defaultResolver(
    path,
    options.conditions?.length > 0 ? options : { ...options, conditions: SOURCE },
  );
