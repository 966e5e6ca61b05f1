import { plainLine } from '../core/text.ts';

/** The files of a repository in a few lines, one for each folder, those that say the most first. */
export interface RepoOutline {
  readonly text: string;
  /** The number of files; undefined when not all of them were read. */
  readonly files: number | undefined;
}

/** The characters of an outline. */
export const MAX_OUTLINE_CHARACTERS = 4_000;

/** Folders deeper than this have no line of their own. */
const MAX_DEPTH = 5;
const MAX_NAME_CHARACTERS = 80;

/** The names in the line of the root, and in that of another folder. */
const MAX_ROOT_NAMES = 60;
const MAX_NAMES = 24;

/** Names that a folder keeps while it is read, however many there are. */
const MAX_KEPT_NAMES = 2_000;

/**
 * Writes an outline of a repository: the root first, then the folders below it, level by level. What does not fit is
 * left out; the line of a folder says how much is missing. `isPartial`: the entries are only some, and so are not
 * counted.
 */
export function outlineOf(entries: Iterable<RepoEntry>, { isPartial }: { readonly isPartial: boolean }): RepoOutline {
  const root = new Folder('', 0);
  for (const { path, isFolder } of entries) root.add(path.split('/'), isFolder);
  const lines: string[] = [];
  let left = MAX_OUTLINE_CHARACTERS;
  for (const folder of byLevel(root)) {
    const line = folder.line(!isPartial);
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return { text: root.isEmpty ? '' : lines.join('\n'), files: isPartial ? undefined : root.files };
}

/** Yields a folder, and then those below it that are worth a line, level by level. */
function* byLevel(root: Folder): Generator<Folder> {
  let folders: readonly Folder[] = [root];
  while (folders.length > 0) {
    yield* folders;
    folders = folders.flatMap((folder) => folder.opened());
  }
}

class Folder {
  readonly #path: string;
  readonly #depth: number;
  readonly #folders = new Map<string, Folder>();
  readonly #files: string[] = [];
  #hasMore = false;
  /** The files in it and below. */
  files = 0;

  constructor(path: string, depth: number) {
    this.#path = path;
    this.#depth = depth;
  }

  get isEmpty(): boolean {
    return this.#folders.size === 0 && this.#files.length === 0;
  }

  /** Adds a file or folder by the names on the way to it from the root, which lead here. */
  add(names: readonly string[], isFolder: boolean): void {
    if (!isFolder) this.files += 1;
    const name = names[this.#depth] ?? '';
    if (name === '' || this.#depth > MAX_DEPTH) return;
    if (!isFolder && this.#depth === names.length - 1) this.#addFile(name);
    else this.#enter(name)?.add(names, isFolder);
  }

  /** Writes the folder's line: its own folders, then its files. */
  line(isCounted: boolean): string {
    const most = this.#depth === 0 ? MAX_ROOT_NAMES : MAX_NAMES;
    const folders = this.#ranked().map(({ shown, files }) => (isCounted ? `${shown}/ (${files})` : `${shown}/`));
    const files = this.#files
      .toSorted((a, b) => rankOfFile(a) - rankOfFile(b) || (a < b ? -1 : 1))
      .map((name) => shownName(name));
    // Files that say what the repository is are not pushed out by many folders.
    const shownFolders = folders.slice(0, Math.max(most - files.length, Math.ceil(most / 2)));
    const shownFiles = files.slice(0, most - shownFolders.length);
    const missing = folders.length + files.length - shownFolders.length - shownFiles.length;
    const more = this.#hasMore ? ['and many more'] : missing > 0 ? [`and ${missing} more`] : [];
    return `${this.#path}/: ${[...shownFolders, ...shownFiles, ...more].join(', ')}`;
  }

  /** Returns the folders in it that have a line, the most useful first. */
  opened(): Folder[] {
    if (this.#depth >= MAX_DEPTH) return [];
    return this.#ranked().flatMap(({ name, folder }) => (isOwnFolder(name) && !folder.isEmpty ? [folder] : []));
  }

  #ranked() {
    return Array.from(this.#folders, ([name, folder]) => ({
      name,
      folder,
      files: folder.files,
      shown: shownName(name),
    })).toSorted(
      (a, b) => rankOfFolder(a.name) - rankOfFolder(b.name) || b.files - a.files || (a.name < b.name ? -1 : 1),
    );
  }

  #addFile(name: string): void {
    if (this.#files.length < MAX_KEPT_NAMES) this.#files.push(name);
    else this.#hasMore = true;
  }

  #enter(name: string): Folder | undefined {
    const known = this.#folders.get(name);
    if (known !== undefined) return known;
    if (this.#folders.size >= MAX_KEPT_NAMES) {
      this.#hasMore = true;
      return undefined;
    }
    const folder = new Folder(`${this.#path}/${shownName(name)}`, this.#depth + 1);
    this.#folders.set(name, folder);
    return folder;
  }
}

// A comma in a name would read as two names.
function shownName(name: string): string {
  const shown = plainLine(name, MAX_NAME_CHARACTERS);
  return shown.includes(', ') || shown === '' ? JSON.stringify(shown) : shown;
}

/** A file or folder of a repository. */
export interface RepoEntry {
  /** Below the root, without a slash at either end. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders of vendored or generated files, which are listed last. */
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
const DESCRIPTIVE: ReadonlySet<string> = new Set([
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

/** Returns the rank of a folder among its siblings: 0 first. */
export function rankOfFolder(name: string): number {
  if (!isOwnFolder(name)) return 3;
  if (name.startsWith('.')) return 2;
  return OF_SOURCES.has(name.toLowerCase()) ? 0 : 1;
}

/** Returns the rank of a file among its siblings: 0 first. */
function rankOfFile(name: string): number {
  const [stem = ''] = name.toLowerCase().split('.', 1);
  if (DESCRIPTIVE.has(stem)) return 0;
  return stem === '' ? 2 : 1;
}
