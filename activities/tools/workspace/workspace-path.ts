import type { WorkspacePart } from '../../../db/workspaces/snapshot.ts';
import { ToolFailure } from '../tool-failure.ts';

/** A validated path inside a workspace: its names; none for the workspace itself. */
export type WorkspacePath = readonly string[];

/** The workspace itself. */
export const ROOT: WorkspacePath = [];

const MAX_LENGTH = 1024;
const MAX_LEVELS = 32;
const MAX_NAME_BYTES = 255;
// Control and format characters (line breaks, bidirectional overrides, invisible ones) and line separators.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Validates the path of a file; one that leads elsewhere, or that has a second spelling, throws a `ToolFailure`. */
export function filePath(text: string): WorkspacePath {
  const names = folderPath(text);
  if (names.length === 0)
    throw new ToolFailure('invalid_input', 'The path names the workspace itself, not a file in it');
  return names;
}

/** Validates the path of a folder; `.` and nothing are the workspace itself. */
export function folderPath(text: string): WorkspacePath {
  // Normalizes each letter, so that no two paths appear alike; applied before the checks, so that it undoes none.
  const path = text.normalize('NFC').replace(/^\.\//, '').replace(/\/$/, '');
  if (text.startsWith('/') || /^[a-z]:/i.test(path)) throw refusal('must be relative to the workspace, not absolute');
  if (path === '' || path === '.') return ROOT;
  if (path.length > MAX_LENGTH) throw refusal(`is longer than ${MAX_LENGTH} characters`);
  const names = path.split('/');
  if (names.length > MAX_LEVELS) throw refusal(`is more than ${MAX_LEVELS} levels deep`);
  for (const name of names) {
    const fault = nameIssue(name);
    if (fault !== undefined) throw refusal(fault);
  }
  return names;
}

function refusal(fault: string): ToolFailure {
  return new ToolFailure('invalid_input', `The path ${fault}`);
}

function nameIssue(name: string): string | undefined {
  if (name === '') return 'contains an empty name: two slashes in a row';
  const compatible = name.normalize('NFKC');
  if (name === '.' || /^\.+$/.test(compatible)) return 'must not contain . or .. as a name';
  if (UNSEEN.test(name)) return 'contains control or invisible characters';
  if (/[\\/:]/.test(compatible)) return String.raw`contains a name with \ or : or a character that looks like a slash`;
  if (/[ .]$/.test(name) || name.startsWith(' '))
    return 'contains a name that begins with a space or ends with a space or dot';
  if (DEVICE_NAME.test(name)) return 'contains a name that is reserved for a device';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `contains a name longer than ${MAX_NAME_BYTES} bytes`;
  return undefined;
}

/** Returns whether a path leads into a repository's own files: files there make git run programs. */
export function isRepositoryInternal(path: WorkspacePath): boolean {
  return path.some((name) => name.normalize('NFKC').toLowerCase() === '.git');
}

/** Returns the folders of a workspace: that of its files, and those beside it, where no tool writes. */
export function foldersOf(home: string): Readonly<Record<WorkspacePart, string>> {
  return { files: home, edits: `${home}.edits`, marks: `${home}.foreign` };
}
