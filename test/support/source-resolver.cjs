/**
 * Resolves packages of this workspace to their sources, even if Jest asks without conditions. It does so when it
 * searches for the tests that depend on a changed file, and would find the build instead.
 */
const SOURCE = ['@bedrock/source', 'node', 'node-addons', 'import', 'require', 'default'];

module.exports = (path, options) =>
  options.defaultResolver(
    path,
    options.conditions?.length > 0 ? options : { ...options, conditions: SOURCE },
  );
