import { z } from 'zod';
import { type CodeHost, readJson } from '../code-hosts/code-host.ts';
import {
  below,
  type Branch,
  hostName,
  MAX_LIST_BYTES,
  MAX_SMALL_BYTES,
  objectId,
  type RepositoryReader,
  type TreeEntry,
} from './repository-reader.ts';

const repositorySchema = z.object({ default_branch: hostName.nullish(), empty: z.boolean().nullish() });
const branchSchema = z.object({ name: hostName, commit: z.object({ id: objectId }) });
const treeSchema = z.object({
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: objectId })).nullish(),
  truncated: z.boolean().nullish(),
});

const PER_PAGE = 1_000;
/** The pages of a whole tree: what is larger is read folder by folder. */
const MAX_PAGES = 5;

/** Reads a repository as the REST API of Gitea and Forgejo says. `truncated` says there that another page follows. */
export function readGitea(host: CodeHost): RepositoryReader {
  const readTree = async (id: string, query: Readonly<Record<string, string>>, maxPages: number) => {
    const entries: TreeEntry[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const answer = await host.request({
        path: `/git/trees/${id}`,
        query: { ...query, per_page: PER_PAGE, page },
        maxBytes: MAX_LIST_BYTES,
      });
      const { tree, truncated } = readJson(host, answer, treeSchema);
      entries.push(...(tree ?? []).map(toEntry));
      if (truncated !== true || tree == null || tree.length === 0) return { entries, isWhole: true };
    }
    return { entries, isWhole: false };
  };
  return {
    defaultBranch: async () => {
      const answer = await host.request({ path: '', maxBytes: MAX_SMALL_BYTES });
      const { default_branch: branch, empty } = readJson(host, answer, repositorySchema);
      return empty === true ? undefined : (branch ?? null);
    },
    branches: async () => {
      const answer = await host.request({ path: '/branches', query: { limit: 50 }, maxBytes: MAX_LIST_BYTES });
      return { branches: readJson(host, answer, branchSchema.array()).map(toBranch), hasMore: answer.hasNext };
    },
    branch: async (name) => {
      const path = `/branches/${encodeURIComponent(name)}`;
      return toBranch(readJson(host, await host.request({ path, maxBytes: MAX_SMALL_BYTES }), branchSchema));
    },
    tree: async (commit) => {
      const { entries, isWhole } = await readTree(commit, { recursive: 'true' }, MAX_PAGES);
      return isWhole ? entries : undefined;
    },
    folder: async (_commit, folder) => below(folder, (await readTree(folder.id, {}, 1)).entries),
  };
}

function toBranch({ name, commit }: z.output<typeof branchSchema>): Branch {
  return { name, commit: commit.id };
}

function toEntry({ path, type, sha: id }: NonNullable<z.output<typeof treeSchema>['tree']>[number]): TreeEntry {
  return { path, id, isFolder: type === 'tree' };
}
