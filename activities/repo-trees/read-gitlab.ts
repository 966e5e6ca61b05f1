import { z } from 'zod';
import { type CodeHost, type HostAnswer, readJson } from '../code-hosts/code-host.ts';
import {
  type Branch,
  hostName,
  MAX_LIST_BYTES,
  MAX_SMALL_BYTES,
  objectId,
  type RepositoryReader,
  type TreeEntry,
} from './repository-reader.ts';

const projectSchema = z.object({ default_branch: hostName.nullish(), empty_repo: z.boolean().nullish() });
const branchSchema = z.object({ name: hostName, commit: z.object({ id: objectId }) });
const treeSchema = z.array(z.object({ id: objectId, path: z.string(), type: z.string() }));

/** The entries of a page, and the pages of a whole tree: what is larger is read folder by folder. */
const PER_PAGE = 100;
const MAX_PAGES = 20;
/** The pages of one folder. */
const MAX_FOLDER_PAGES = 3;

/** Reads a repository as the REST API of GitLab says. */
export function readGitlab(host: CodeHost): RepositoryReader {
  const readPages = async (query: Readonly<Record<string, string>>, maxPages: number) => {
    const entries: TreeEntry[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const answer: HostAnswer = await host.request({
        path: '/repository/tree',
        query: { ...query, per_page: PER_PAGE, page },
        maxBytes: MAX_LIST_BYTES,
      });
      entries.push(...readJson(host, answer, treeSchema).map(toEntry));
      if (!answer.hasNext) return { entries, isWhole: true };
    }
    return { entries, isWhole: false };
  };
  return {
    defaultBranch: async () => {
      const answer = await host.request({ path: '', maxBytes: MAX_SMALL_BYTES });
      const { default_branch: branch, empty_repo: isEmpty } = readJson(host, answer, projectSchema);
      return isEmpty === true ? undefined : (branch ?? null);
    },
    branches: async () => {
      const query = { per_page: PER_PAGE };
      const answer = await host.request({ path: '/repository/branches', query, maxBytes: MAX_LIST_BYTES });
      return { branches: readJson(host, answer, branchSchema.array()).map(toBranch), hasMore: answer.hasNext };
    },
    branch: async (name) => {
      const path = `/repository/branches/${encodeURIComponent(name)}`;
      return toBranch(readJson(host, await host.request({ path, maxBytes: MAX_SMALL_BYTES }), branchSchema));
    },
    tree: async (commit) => {
      const { entries, isWhole } = await readPages({ ref: commit, recursive: 'true' }, MAX_PAGES);
      return isWhole ? entries : undefined;
    },
    folder: async (commit, { path }) =>
      (await readPages({ ref: commit, ...(path !== '' && { path }) }, MAX_FOLDER_PAGES)).entries,
  };
}

function toBranch({ name, commit }: z.output<typeof branchSchema>): Branch {
  return { name, commit: commit.id };
}

function toEntry({ id, path, type }: z.output<typeof treeSchema>[number]): TreeEntry {
  return { id, path, isFolder: type === 'tree' };
}
