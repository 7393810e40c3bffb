// The packages of the lint are those of tools/package.json, which `npm run lint` installs.
export { default } from './tools/eslint.config.js';
