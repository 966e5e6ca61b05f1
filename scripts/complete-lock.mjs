// npm run lock: writes package-lock.json, then adds the optional packages of other platforms that the registry in use
// did not offer. `npm ci` refuses a lock file that lacks them, on every platform. They carry a version but no
// integrity.
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'aix',
  'win32',
  'wasm32',
];
const PROCESSORS = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'ppc64le', 's390x', 'riscv64', 'loong64'];

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = Object.entries(lock.packages).flatMap(([folder, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(folder, name))
    .map(([name, version]) => [`node_modules/${name}`, platformEntry(name, version, entry.dev === true)]),
);
const [root, ...rest] = [...Object.entries(lock.packages), ...missing];
lock.packages = Object.fromEntries([root, ...rest.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${missing.length} packages of other platforms added\n`);

/** Returns whether a package that lies in `folder` would find `name`, in its own node_modules or one further up. */
function isLocked(folder, name) {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
    if (!at.includes('/node_modules/')) return lock.packages[`node_modules/${name}`] !== undefined;
  }
}

function platformEntry(name, version, dev) {
  const words = name.split('/').at(-1).split('-');
  const system = words.find((word) => SYSTEMS.includes(word));
  const processor = words.find((word) => PROCESSORS.includes(word));
  if (system === undefined || !/^\d/.test(version))
    throw new Error(`${name}@${version} is missing and is no platform's package`);
  const libc = words.includes('musl') ? 'musl' : system === 'linux' && words.includes('gnu') ? 'glibc' : undefined;
  return {
    version,
    cpu: [processor ?? 'wasm32'],
    ...(dev && { dev: true }),
    ...(libc !== undefined && { libc: [libc] }),
    optional: true,
    ...(system !== 'wasm32' && { os: [system] }),
  };
}
