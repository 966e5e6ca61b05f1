import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
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

/** Reads the records of a directory. Throws a `Failure` when there are none. */
export function readRecords(directory: string): Records {
  const records = noRecords();
  for (const folder of FOLDERS)
    for (const key of namesIn(join(directory, folder))) records[folder].set(key, filesIn(join(directory, folder, key)));
  if (FOLDERS.every((folder) => records[folder].size === 0))
    throw new Failure(`${directory} has no agents: "everturn agents export" writes them there.`, EXIT.usage);
  return records;
}

/**
 * Writes records into a directory, where they replace others of the same names, or all there are. Throws a `Failure`
 * before anything is written when a name leads out of the directory: a server gave it.
 */
export function writeRecords(directory: string, records: Records, { isWhole }: { readonly isWhole: boolean }): void {
  const written = FOLDERS.flatMap((folder) =>
    Array.from(records[folder], ([key, files]) => {
      const target = within(join(directory, folder), key);
      return { target, files: Array.from(files, ([path, content]) => [within(target, path), content] as const) };
    }),
  );
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
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : []))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Failure(`${folder} cannot be read.`, EXIT.failed, { cause: error });
  }
}

function filesIn(folder: string): RecordFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted();
  const named = paths.filter((path) => !path.split(sep).some((part) => part.startsWith('.')));
  return new Map(named.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(folder, path), 'utf8')]));
}
