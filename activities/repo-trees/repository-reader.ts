import { z } from 'zod';
import type { RepoEntry } from '../../domain/project-context/index.ts';

/** A branch, and the commit that it is at. */
export interface Branch {
  readonly name: string;
  readonly commit: string;
}

/** The branches that a host lists at once. */
interface BranchPage {
  readonly branches: readonly Branch[];
  readonly hasMore: boolean;
}

/** An entry of a tree, with the id by which its host knows a folder. */
export interface TreeEntry extends RepoEntry {
  readonly id: string;
}

/** A folder of a repository at a commit. */
interface FolderRef {
  /** '' for the root. */
  readonly path: string;
  /** Of the commit, for the root. */
  readonly id: string;
}

/** What is asked for at one kind of code hosts. Failures are `CodeHostError`s. */
export interface RepositoryReader {
  /** Returns the default branch; null when the repository has none, and undefined when it is known to be empty. */
  defaultBranch(): Promise<string | null | undefined>;
  branches(): Promise<BranchPage>;
  branch(name: string): Promise<Branch>;
  /** Returns the whole tree; undefined when it is larger than may be read at once. */
  tree(commit: string): Promise<readonly TreeEntry[] | undefined>;
  /** Returns what is in a folder and not below; paths are those in the repository. */
  folder(commit: string, folder: FolderRef): Promise<readonly TreeEntry[]>;
}

/** A name as a host gives it. What is longer is no name that a person reads. */
export const hostName = z.string().min(1).max(1_000);
/** The id of a commit or a tree, which goes into addresses. */
export const objectId = z.string().regex(/^[0-9a-f]{7,64}$/);

/** Bounds on answers, in bytes. */
export const MAX_SMALL_BYTES = 1024 ** 2;
export const MAX_LIST_BYTES = 4 * 1024 ** 2;

/** Returns the entries of a folder with the path that they have in the repository. */
export function below(folder: FolderRef, entries: readonly TreeEntry[]): TreeEntry[] {
  return folder.path === ''
    ? [...entries]
    : entries.map((entry) => ({ ...entry, path: `${folder.path}/${entry.path}` }));
}
