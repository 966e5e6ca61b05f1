/** A file or folder of a repository. */
export interface RepoEntry {
  /** Below the root, without a slash at either end. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders of what others wrote, or what programs made: nobody looks there first. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  '__pycache__',
  '__snapshots__',
  'bower_components',
  'build',
  'coverage',
  'deps',
  'dist',
  'external',
  'fixtures',
  'node_modules',
  'obj',
  'out',
  'target',
  'testdata',
  'third_party',
  'thirdparty',
  'vendor',
  'venv',
]);

/** Folders in which the work of most repositories is. */
const OF_SOURCES: ReadonlySet<string> = new Set([
  'api',
  'app',
  'apps',
  'cmd',
  'crates',
  'internal',
  'lib',
  'libs',
  'packages',
  'pkg',
  'server',
  'services',
  'source',
  'sources',
  'src',
]);

/** The names of files that say what a repository is, in lower case and without what follows the first dot. */
const TELLING: ReadonlySet<string> = new Set([
  'agents',
  'architecture',
  'build',
  'cargo',
  'changelog',
  'claude',
  'compose',
  'contributing',
  'docker-compose',
  'dockerfile',
  'gemfile',
  'go',
  'index',
  'justfile',
  'main',
  'makefile',
  'package',
  'pom',
  'pyproject',
  'readme',
  'requirements',
  'setup',
  'tsconfig',
]);

/** Whether a folder is worth looking into. */
export function isOwnFolder(name: string): boolean {
  return !OF_OTHERS.has(name.toLowerCase());
}

/** Returns how late a folder comes among those beside it: 0 first. */
export function rankOfFolder(name: string): number {
  if (!isOwnFolder(name)) return 3;
  if (name.startsWith('.')) return 2;
  return OF_SOURCES.has(name.toLowerCase()) ? 0 : 1;
}

/** Returns how late a file comes among those beside it: 0 first. */
export function rankOfFile(name: string): number {
  const [stem = ''] = name.toLowerCase().split('.', 1);
  if (TELLING.has(stem)) return 0;
  return stem === '' ? 2 : 1;
}
