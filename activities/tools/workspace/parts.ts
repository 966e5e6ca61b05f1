import type { WorkspacePart } from '../../../db/workspaces/index.ts';

/** Returns the folders of a workspace: that of its files, and those beside it, where no tool writes. */
export function foldersOf(home: string): Readonly<Record<WorkspacePart, string>> {
  return { files: home, edits: `${home}.edits`, marks: `${home}.foreign` };
}
