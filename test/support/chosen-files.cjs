/** Jest's `--filter`: the spec files that `tools/test.mjs` selected, or all that Jest itself has found. */
const { resolve } = require('node:path');

const chosen = process.env['BEDROCK_TEST_FILES'];

module.exports = (paths) => {
  if (chosen === undefined) return { filtered: paths };
  const files = new Set(chosen.split(',').map((file) => resolve(__dirname, '../..', file)));
  return { filtered: paths.filter((path) => files.has(path)) };
};
