import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EXIT, Failure } from '../failure.ts';

/** The folders of a directory, each with one folder for each record: those of a marketplace item. */
export const FOLDERS = ['tools', 'skills', 'personas', 'agents'] as const;

export type Folder = (typeof FOLDERS)[number];

/** The files of a record by their paths in its folder. */
export type RecordFiles = ReadonlyMap<string, string>;

/** Records by folder and key. */
export type Records = Readonly<Record<Folder, Map<string, RecordFiles>>>;

export function noRecords(): Records {
  return { tools: new Map(), skills: new Map(), personas: new Map(), agents: new Map() };
}

/**
 * Reads the records of a directory. Throws a `Failure` when there are none, and for a symbolic link: what it leads to
 * may be outside of the directory, and would be sent to the server.
 */
export function readRecords(directory: string): Records {
  const records = noRecords();
  for (const folder of FOLDERS)
    for (const key of namesIn(join(directory, folder)))
      records[folder].set(key, new Map(filesIn(join(directory, folder, key))));
  if (FOLDERS.every((folder) => records[folder].size === 0))
    throw new Failure(`${directory} has no agents: "everturn agents export" writes them there.`, EXIT.usage);
  return records;
}

/**
 * Writes records into a directory, where they replace others of the same names, or all there are. Throws a `Failure`
 * before anything is written when a name leads out of the directory, which a server gave, or a symbolic link does.
 */
export function writeRecords(directory: string, records: Records, { isWhole }: { readonly isWhole: boolean }): void {
  const written = FOLDERS.flatMap((folder) =>
    Array.from(records[folder], ([key, files]) => {
      const target = within(join(directory, folder), key);
      return { target, files: Array.from(files, ([path, content]) => [within(target, path), content] as const) };
    }),
  );
  for (const folder of FOLDERS) requireNoLink(join(directory, folder));
  if (isWhole) for (const folder of FOLDERS) rmSync(join(directory, folder), { recursive: true, force: true });
  for (const { target, files } of written) {
    rmSync(target, { recursive: true, force: true });
    for (const [path, content] of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }
}

function within(folder: string, name: string): string {
  if (name.split('/').some((part) => ['', '.', '..'].includes(part) || part.includes('\\')))
    throw new Failure(`The server names a file "${name}", which would be written outside of ${folder}.`);
  return join(folder, name);
}

function namesIn(folder: string): string[] {
  try {
    if (!requireNoLink(folder)) return [];
    return listFolder(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${folder} cannot be read.`, EXIT.failed, { cause: error });
  }
}

/** Returns the files of a folder and of those in it, by paths that begin with `prefix`. */
function filesIn(folder: string, prefix = ''): (readonly [path: string, content: string])[] {
  return listFolder(folder).flatMap((entry) => {
    const [path, name] = [join(folder, entry.name), `${prefix}${entry.name}`];
    if (entry.isDirectory()) return filesIn(path, `${name}/`);
    return entry.isFile() ? [[name, readText(path)] as const] : [];
  });
}

/** Reads a file of text. Throws a `Failure` when it is none: the server would store other characters. */
function readText(path: string): string {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new Failure(`${path} is not text in UTF-8.`);
  return bytes.toString();
}

/** Lists a folder without hidden entries, by name. Throws a `Failure` when it holds a symbolic link. */
function listFolder(folder: string): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  for (const entry of entries) if (entry.isSymbolicLink()) throw isLink(join(folder, entry.name));
  return entries.toSorted(({ name }, other) => (name < other.name ? -1 : 1));
}

/** Returns whether the path exists. Throws a `Failure` when it is a symbolic link. */
function requireNoLink(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) throw isLink(path);
  return stats !== undefined;
}

function isLink(path: string): Failure {
  return new Failure(`${path} is a symbolic link, which may lead anywhere: put the files themselves there.`);
}
