/** Jest's resolver: finds the packages of this workspace in their sources, so that tests need no build of them. */
const { join } = require('node:path');

const ROOT = join(__dirname, '../..');
const FOLDERS = {
  'bedrock-lock': 'libs/lock',
  'nestjs-bedrock': 'libs/nestjs',
  'bedrock-testkit': 'libs/testkit',
  'bedrock-servers': 'test/servers',
};

module.exports = (path, options) => {
  const [name, entry = 'index', ...rest] = path.split('/');
  const isSource = Object.hasOwn(FOLDERS, name) && rest.length === 0 && entry !== 'package.json';
  return options.defaultResolver(isSource ? join(ROOT, FOLDERS[name], 'src', `${entry}.ts`) : path, options);
};
