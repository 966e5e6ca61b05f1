import { cancellationSignal } from '@temporalio/activity';
import { findTreeCommit, findTreeWait, noteTreeFailure, type RepositoryState, storeTree } from '../../db/repo-trees.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import { isOwnFolder, outlineOf, rankOfFolder, type RepoOutline } from '../../domain/project-context/repo-outline.ts';
import { type CodeHost, CodeHostError, type HostErrorKind } from '../code-hosts/code-host.ts';
import { type CodeHostDeps, hostSlots, withCodeHost } from '../code-hosts/with-code-host.ts';
import { type Branch, type RepositoryReader, repositoryReader, type TreeEntry } from './repository-reader.ts';

/** How many folders are read where a tree is too large to be read as a whole: hosts limit anonymous requests. */
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
async function readRepository(host: CodeHost, known: string | undefined): Promise<RepositoryState> {
  const reader = repositoryReader(host);
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
      // A partial tree is better than nothing, and than another full read.
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

/** Less than the activity has: a host that takes longer is tried again later. */
const LIMIT_MS = 5 * 60_000;

/** After these a host does not show the repository to those whom it has shown it to before. */
const WITHDRAWN: ReadonlySet<HostErrorKind> = new Set(['unauthorized', 'forbidden', 'not_found', 'unsent']);

/**
 * Makes the activity that reads the repository of a project at its host, if that is due, and returns in how many
 * milliseconds it is due next, or null when it is not read any more. The result, and why it failed, is stored, and not
 * in the workflow's history.
 */
export function createFetchRepoTree(deps: CodeHostDeps) {
  return async function fetchRepoTree({ orgId, projectId }: WorkOf<'repo-tree'>): Promise<number | null> {
    const cancelled = cancellationSignal();
    const project = { orgId, projectId };
    return hostSlots.run(deps.database, orgId, async () => {
      const waitMs = await findTreeWait(deps.database, project);
      if (waitMs !== 0) return waitMs;
      await fetchTree(deps, project, cancelled);
      return findTreeWait(deps.database, project);
    });
  };
}

async function fetchTree(deps: CodeHostDeps, project: WorkOf<'repo-tree'>, cancelled: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    await withCodeHost(deps, project, AbortSignal.any([cancelled, limit]), async (host, { url }) => {
      const known = await findTreeCommit(deps.database, project, url);
      await storeTree(deps.database, project, url, await readRepository(host, known));
    });
  } catch (error) {
    const failure = limit.aborted && !cancelled.aborted ? TOO_SLOW : error;
    if (!(failure instanceof CodeHostError)) throw error;
    const { message, waitMs = 0, kind } = failure;
    await noteTreeFailure(deps.database, project, { error: message, waitMs, isWithdrawn: WITHDRAWN.has(kind) });
  }
}

const TOO_SLOW = new CodeHostError('unavailable', `The code host has taken longer than ${LIMIT_MS / 60_000} minutes`);
