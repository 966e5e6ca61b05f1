import { z } from 'zod';
import type { RepoEntry } from '../../domain/project-context/repo-outline.ts';
import type { CodeHostKind } from '../../domain/projects.ts';
import { type CodeHost, readJson } from '../code-hosts/code-host.ts';

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

/** Reads trees in the way of one kind of code hosts. */
interface TreeReader {
  /** Returns the whole tree; undefined when it is larger than may be read at once. */
  tree(commit: string): Promise<readonly TreeEntry[] | undefined>;
  /** Returns the entries directly in a folder, with their paths in the repository. */
  folder(commit: string, folder: FolderRef): Promise<readonly TreeEntry[]>;
}

/** Reads a repository at its host. Throws a `CodeHostError`. */
export interface RepositoryReader extends TreeReader {
  /** Returns the default branch; null when the repository has none, and undefined when it is known to be empty. */
  defaultBranch(): Promise<string | null | undefined>;
  branches(): Promise<BranchPage>;
  branch(name: string): Promise<Branch>;
}

/** The bounds on answers, in bytes. */
const MAX_SMALL_BYTES = 1024 ** 2;
const MAX_LIST_BYTES = 4 * 1024 ** 2;

/** A name as a host gives it. What is longer is no name that a person reads. */
const hostName = z.string().min(1).max(1_000);
/** The id of a commit or a tree, which goes into addresses. */
const objectId = z.string().regex(/^[0-9a-f]{7,64}$/);

// GitHub does not say whether a repository is empty.
const repositorySchema = z.object({
  default_branch: hostName.nullish(),
  empty: z.boolean().nullish(),
  empty_repo: z.boolean().nullish(),
});
const branchSchemas = {
  id: z
    .object({ name: hostName, commit: z.object({ id: objectId }) })
    .transform(({ name, commit }): Branch => ({ name, commit: commit.id })),
  sha: z
    .object({ name: hostName, commit: z.object({ sha: objectId }) })
    .transform(({ name, commit }): Branch => ({ name, commit: commit.sha })),
};

type Query = Readonly<Record<string, string | number>>;

interface HostApi {
  readonly branches: { readonly path: string; readonly query: Query; readonly commitKey: 'id' | 'sha' };
  readonly trees: (host: CodeHost) => TreeReader;
}

const APIS: Readonly<Record<CodeHostKind, HostApi>> = {
  github: { branches: { path: '/branches', query: { per_page: 100 }, commitKey: 'sha' }, trees: githubTrees },
  gitlab: { branches: { path: '/repository/branches', query: { per_page: 100 }, commitKey: 'id' }, trees: gitlabTrees },
  gitea: { branches: { path: '/branches', query: { limit: 50 }, commitKey: 'id' }, trees: giteaTrees },
};

/** Returns a reader of the repository that a host has been opened for. */
export function repositoryReader(host: CodeHost): RepositoryReader {
  const { branches, trees } = APIS[host.kind];
  const branchSchema = branchSchemas[branches.commitKey];
  return {
    ...trees(host),
    defaultBranch: async () => {
      const answer = await host.request({ path: '', maxBytes: MAX_SMALL_BYTES });
      const { default_branch: branch, ...state } = readJson(host, answer, repositorySchema);
      return state.empty === true || state.empty_repo === true ? undefined : (branch ?? null);
    },
    branches: async () => {
      const { path, query } = branches;
      const answer = await host.request({ path, query, maxBytes: MAX_LIST_BYTES });
      return { branches: readJson(host, answer, branchSchema.array()), hasMore: answer.hasNext };
    },
    branch: async (name) => {
      const path = `${branches.path}/${encodeURIComponent(name)}`;
      return readJson(host, await host.request({ path, maxBytes: MAX_SMALL_BYTES }), branchSchema);
    },
  };
}

const entrySchema = z.object({ path: z.string(), type: z.string() });
const gitEntrySchema = entrySchema.extend({ sha: objectId });
const githubTreeSchema = z.object({ tree: gitEntrySchema.array(), truncated: z.boolean().nullish() });

function githubTrees(host: CodeHost): TreeReader {
  const readTree = async (id: string, query: Query) => {
    const answer = await host.request({ path: `/git/trees/${id}`, query, maxBytes: MAX_LIST_BYTES });
    const { tree, truncated } = readJson(host, answer, githubTreeSchema);
    return { entries: tree.map(toEntry), isTruncated: truncated === true };
  };
  return {
    tree: async (commit) => {
      const { entries, isTruncated } = await readTree(commit, { recursive: '1' });
      return isTruncated ? undefined : entries;
    },
    folder: async (_commit, folder) => below(folder, (await readTree(folder.id, {})).entries),
  };
}

const giteaTreeSchema = z.object({ tree: gitEntrySchema.array().nullish(), truncated: z.boolean().nullish() });
/** The entries of a page, and the pages of a whole tree: what is larger is read folder by folder. */
const GITEA_PAGES = { size: 1_000, ofTree: 5, ofFolder: 1 };

// `truncated` of Gitea and Forgejo says that another page follows.
function giteaTrees(host: CodeHost): TreeReader {
  const readTree = async (id: string, query: Query, maxPages: number) =>
    readPages(maxPages, async (page) => {
      const answer = await host.request({
        path: `/git/trees/${id}`,
        query: { ...query, per_page: GITEA_PAGES.size, page },
        maxBytes: MAX_LIST_BYTES,
      });
      const { tree, truncated } = readJson(host, answer, giteaTreeSchema);
      const entries = (tree ?? []).map(toEntry);
      return { entries, hasNext: truncated === true && entries.length > 0 };
    });
  return {
    tree: async (commit) => {
      const { entries, isWhole } = await readTree(commit, { recursive: 'true' }, GITEA_PAGES.ofTree);
      return isWhole ? entries : undefined;
    },
    folder: async (_commit, folder) => below(folder, (await readTree(folder.id, {}, GITEA_PAGES.ofFolder)).entries),
  };
}

const gitlabTreeSchema = entrySchema.extend({ id: objectId }).array();
/** The entries of a page, and the pages of a whole tree: what is larger is read folder by folder. */
const GITLAB_PAGES = { size: 100, ofTree: 20, ofFolder: 3 };

function gitlabTrees(host: CodeHost): TreeReader {
  const readTree = async (query: Query, maxPages: number) =>
    readPages(maxPages, async (page) => {
      const answer = await host.request({
        path: '/repository/tree',
        query: { ...query, per_page: GITLAB_PAGES.size, page },
        maxBytes: MAX_LIST_BYTES,
      });
      const entries = readJson(host, answer, gitlabTreeSchema).map(({ id, path, type }) => ({
        id,
        path,
        isFolder: type === 'tree',
      }));
      return { entries, hasNext: answer.hasNext };
    });
  return {
    tree: async (commit) => {
      const { entries, isWhole } = await readTree({ ref: commit, recursive: 'true' }, GITLAB_PAGES.ofTree);
      return isWhole ? entries : undefined;
    },
    folder: async (commit, { path }) =>
      (await readTree({ ref: commit, ...(path !== '' && { path }) }, GITLAB_PAGES.ofFolder)).entries,
  };
}

interface EntryPage {
  readonly entries: readonly TreeEntry[];
  readonly hasNext: boolean;
}

async function readPages(maxPages: number, readPage: (page: number) => Promise<EntryPage>) {
  const read: TreeEntry[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const { entries, hasNext } = await readPage(page);
    read.push(...entries);
    if (!hasNext) return { entries: read, isWhole: true };
  }
  return { entries: read, isWhole: false };
}

// A module of another repository is a `commit`: nothing of it is here.
function toEntry({ path, type, sha: id }: z.output<typeof gitEntrySchema>): TreeEntry {
  return { path, id, isFolder: type === 'tree' };
}

/** Returns the entries of a folder with the path that they have in the repository. */
function below(folder: FolderRef, entries: readonly TreeEntry[]): TreeEntry[] {
  return folder.path === ''
    ? [...entries]
    : entries.map((entry) => ({ ...entry, path: `${folder.path}/${entry.path}` }));
}
