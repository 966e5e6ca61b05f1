import { accessSync, constants, realpathSync, statSync } from 'node:fs';

/** A Chromium that can be used, and a text that changes when its file does. */
export interface FoundChromium {
  readonly path: string;
  readonly stamp: string;
}

/** Where the packages of systems put the program itself; what is on the PATH is often a script that needs more. */
const SEARCHED = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib64/chromium-browser/chromium-browser',
];
const REMEDY = 'install the package chromium (apt install chromium)';

/** Finds Chromium at the given path, or else where systems install it; throws in words why it cannot be used. */
export function findChromium(given: string | undefined): FoundChromium {
  if (given === 'off') throw new Error('the operator has turned the browser off');
  const path = given ?? SEARCHED.find(isExecutable);
  if (path === undefined) throw new Error(`Chromium is not installed: ${REMEDY}`);
  if (!isExecutable(path)) throw new Error(`${path} is not there or cannot be run: ${REMEDY}`);
  const real = realpathSync(path);
  if (!real.startsWith('/usr/')) throw new Error(`${path} is not below /usr, which is all that the sandbox shows`);
  const { ino, size, mtimeMs } = statSync(real);
  return { path: real, stamp: [real, ino, size, mtimeMs].join(' ') };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
