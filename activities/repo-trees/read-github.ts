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

const repositorySchema = z.object({ default_branch: hostName.nullish() });
const branchSchema = z.object({ name: hostName, commit: z.object({ sha: objectId }) });
const treeSchema = z.object({
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: objectId })),
  truncated: z.boolean().nullish(),
});

/** Reads a repository as GitHub's REST API says. */
export function readGithub(host: CodeHost): RepositoryReader {
  const readTree = async (id: string, query: Readonly<Record<string, string>>) => {
    const answer = await host.request({ path: `/git/trees/${id}`, query, maxBytes: MAX_LIST_BYTES });
    const { tree, truncated } = readJson(host, answer, treeSchema);
    return { entries: tree.map(toEntry), isTruncated: truncated === true };
  };
  return {
    defaultBranch: async () => {
      const answer = await host.request({ path: '', maxBytes: MAX_SMALL_BYTES });
      return readJson(host, answer, repositorySchema).default_branch ?? null;
    },
    branches: async () => {
      const answer = await host.request({ path: '/branches', query: { per_page: 100 }, maxBytes: MAX_LIST_BYTES });
      return { branches: readJson(host, answer, branchSchema.array()).map(toBranch), hasMore: answer.hasNext };
    },
    branch: async (name) => {
      const path = `/branches/${encodeURIComponent(name)}`;
      return toBranch(readJson(host, await host.request({ path, maxBytes: MAX_SMALL_BYTES }), branchSchema));
    },
    tree: async (commit) => {
      const { entries, isTruncated } = await readTree(commit, { recursive: '1' });
      return isTruncated ? undefined : entries;
    },
    folder: async (_commit, folder) => below(folder, (await readTree(folder.id, {})).entries),
  };
}

function toBranch({ name, commit }: z.output<typeof branchSchema>): Branch {
  return { name, commit: commit.sha };
}

// A module of another repository is a `commit`: nothing of it is here.
function toEntry({ path, type, sha: id }: z.output<typeof treeSchema>['tree'][number]): TreeEntry {
  return { path, id, isFolder: type === 'tree' };
}
