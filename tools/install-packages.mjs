import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Node versions by major line: the tested version, and the newest of the line on other systems. */
const NODES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };

const QUIETLY = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];

/**
 * Runs a program to its end.
 * @throws Error with the end of its output, if it fails or does not end
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: object }} options
 */
export async function run(command, args, { cwd, env = {} }) {
  const limits = { timeout: 180_000, maxBuffer: 16 << 20, killSignal: /** @type {const} */ ('SIGKILL') };
  try {
    return await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env }, ...limits });
  } catch (error) {
    const how = error.killed ? 'was killed' : `failed with ${error.code}`;
    const told = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n').slice(-40).join('\n');
    throw new Error(`${command} ${args.join(' ')}: ${how}\n${told}`, { cause: error });
  }
}

/**
 * Installs the packages of the folder's package.json according to its lock file, and further ones.
 * @param {string[]} specs
 * @param {string} folder
 */
export async function installPackages(specs, folder) {
  await run('npm', ['install', '--no-save', ...QUIETLY, ...specs], { cwd: folder });
}

/**
 * The Node runtimes by major line: the running one, and the others from npm.
 * @param {string} folder for them
 * @returns {Promise<Record<string, string>>}
 */
export async function installNodes(folder) {
  const [current] = process.versions.node.split('.');
  const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const others = Object.entries(NODES).filter(([line]) => line !== current);
  const wanted = others.map(([line, exact]) => {
    return `node-${line}@npm:node-${system}@${system === 'linux-x64' ? exact : line}`;
  });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await installPackages(wanted, folder);
  const bins = Object.fromEntries(
    others.map(([line]) => [line, join(folder, `node_modules/node-${line}/bin/node`)]),
  );
  return { ...bins, [current]: process.execPath };
}
