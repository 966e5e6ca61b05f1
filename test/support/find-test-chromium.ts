import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findChromium } from '../../activities/sandbox/browser/browser.ts';

const run = promisify(execFile);
const PACKAGES = ['chromium', 'fonts-dejavu-core'];
/** Test runs beside this one may be installing, too. */
const APT = ['-o', 'DPkg::Lock::Timeout=120', '--yes'];
const LIMITS = { timeout: 300_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };

/** Where Chromium is for the tests, or why they have none. */
export type TestChromium = { readonly path: string } | { readonly missing: string };

/** Finds Chromium, or else installs the package of Debian, for which the tests have to run as root. */
export async function findTestChromium(): Promise<TestChromium> {
  const found = find();
  if ('path' in found || process.platform !== 'linux') return found;
  if (process.getuid?.() !== 0) return { missing: 'Chromium is not installed, and only root can install it' };
  const install = async () => run('apt-get', ['install', ...APT, '--no-install-recommends', ...PACKAGES], LIMITS);
  try {
    // A fresh system has no lists of packages yet.
    await install().catch(async () => run('apt-get', ['update', ...APT], LIMITS).then(install));
    return find();
  } catch {
    return { missing: 'Chromium is not installed, and its Debian package cannot be had' };
  }
}

function find(): TestChromium {
  try {
    return { path: findChromium(undefined).path };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
