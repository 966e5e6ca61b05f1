import type { RepositoryState } from '../../db/repo-trees/index.ts';
import { isOwnFolder, outlineOf, rankOfFolder, type RepoOutline } from '../../domain/project-context/index.ts';
import type { CodeHostKind } from '../../domain/projects/index.ts';
import { type CodeHost, CodeHostError } from '../code-hosts/index.ts';
import { readGitea } from './read-gitea.ts';
import { readGithub } from './read-github.ts';
import { readGitlab } from './read-gitlab.ts';
import type { Branch, RepositoryReader, TreeEntry } from './repository-reader.ts';

const READERS: Readonly<Record<CodeHostKind, (host: CodeHost) => RepositoryReader>> = {
  github: readGithub,
  gitlab: readGitlab,
  gitea: readGitea,
};

/**
 * The folders that are looked into where a tree is too large to be read as a whole: hosts serve few requests to nobody.
 */
const FOLDERS = { known: 24, unknown: 8 };
/** The branches that are kept beside the default one. */
const MAX_BRANCHES = 50;

const EMPTY: RepositoryState = {
  defaultBranch: null,
  branches: [],
  hasMoreBranches: false,
  commit: null,
  outline: { text: '', files: 0 },
};

/**
 * Reads what is in a repository: its branches, and its files unless `known` is the commit that its default branch is
 * at.
 * Throws a `CodeHostError`.
 */
export async function readRepository(host: CodeHost, known: string | undefined): Promise<RepositoryState> {
  const reader = READERS[host.kind](host);
  const name = await reader.defaultBranch();
  if (name === undefined) return EMPTY;
  const { branches, hasMore } = await reader.branches();
  if (branches.length === 0) return EMPTY;
  if (name === null) throw new CodeHostError('refused', 'The repository has no default branch');
  const head = branches.find((branch) => branch.name === name) ?? (await headOf(reader, name));
  const others = branches.filter((branch) => branch.name !== name).map((branch) => branch.name);
  return {
    defaultBranch: name,
    branches: others.slice(0, MAX_BRANCHES),
    hasMoreBranches: hasMore || others.length > MAX_BRANCHES,
    commit: head.commit,
    outline: head.commit === known ? undefined : await readOutline(host, reader, head.commit),
  };
}

async function headOf(reader: RepositoryReader, name: string): Promise<Branch> {
  try {
    return await reader.branch(name);
  } catch (error) {
    if (!(error instanceof CodeHostError) || error.kind !== 'not_found') throw error;
    throw new CodeHostError('refused', 'The repository does not have the branch that is its default one', {
      cause: error,
    });
  }
}

async function readOutline(host: CodeHost, reader: RepositoryReader, commit: string): Promise<RepoOutline> {
  const whole = await unlessTooLarge(async () => reader.tree(commit));
  if (whole !== undefined) return outlineOf(whole, { isPartial: false });
  const entries = await readUpperFolders(reader, commit, host.hasCredentials ? FOLDERS.known : FOLDERS.unknown);
  return outlineOf(entries, { isPartial: true });
}

/** Reads the root and the most useful folders in it. */
async function readUpperFolders(reader: RepositoryReader, commit: string, count: number): Promise<TreeEntry[]> {
  const root = (await unlessTooLarge(async () => reader.folder(commit, { path: '', id: commit }))) ?? [];
  const folders = root
    .filter(({ path, isFolder }) => isFolder && isOwnFolder(path))
    .toSorted((a, b) => rankOfFolder(a.path) - rankOfFolder(b.path))
    .slice(0, count);
  const entries = [...root];
  for (const folder of folders) {
    try {
      entries.push(...((await unlessTooLarge(async () => reader.folder(commit, folder))) ?? []));
    } catch (error) {
      // What was read until then is better than nothing, and better than to ask for it all again.
      if (error instanceof CodeHostError && error.kind === 'rate_limited') return entries;
      throw error;
    }
  }
  return entries;
}

async function unlessTooLarge<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CodeHostError && error.kind === 'too_large') return undefined;
    throw error;
  }
}
