import { existsSync } from 'node:fs';
import { findBinary, isFound } from './binary.js';
import { installDebianPackages } from './debian.js';
import { NotHere } from './finding.js';

const PACKAGES = ['chromium'];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Applications of macOS are on no PATH. Not tried here. */
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of a Chromium: CHROMIUM names one, else the one on PATH, else it is installed, as root on Debian. */
export async function findChromium(): Promise<string> {
  try {
    return chromiumBinary();
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
  }
  await installDebianPackages(PACKAGES, () => isFound(chromiumBinary));
  return chromiumBinary();
}

/** @throws NotHere when there is none; Error when CHROMIUM names something that cannot be run */
export function chromiumBinary(): string {
  for (const name of NAMES) {
    try {
      return findBinary(name, 'CHROMIUM');
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
    }
  }
  const application = APPLICATIONS.find((path) => existsSync(path));
  if (application === undefined) throw new NotHere('no chromium on PATH, and CHROMIUM is not set');
  return application;
}
