import { isRepositoryName, withoutGitSuffix } from '../../domain/projects/index.ts';

/**
 * Returns the names in the address of a repository: its owner or groups, and its own. Those of the folder that its
 * server is in are left out. Undefined when the address names no repository.
 */
export function repositoryNames(repoUrl: string, apiUrl: string): readonly string[] | undefined {
  const [repository, api] = [URL.parse(repoUrl), URL.parse(apiUrl)];
  if (repository === null) return undefined;
  const parts = decodedParts(repository.pathname);
  const folder = api?.origin === repository.origin ? folderOf(api.pathname) : [];
  const isInFolder = folder.every((part, index) => parts?.[index] === part);
  const names = parts?.slice(isInFolder ? folder.length : 0);
  // GitLab puts what belongs to a repository behind a part of its own.
  const end = names?.indexOf('-') ?? -1;
  const own = end === -1 ? names : names?.slice(0, end);
  return own === undefined || own.length < 2 ? undefined : usableNames(own);
}

// Addresses that were stored before they were checked may have others.
function usableNames(parts: readonly string[]): readonly string[] | undefined {
  const names = parts.map((part, index) => (index > 0 ? withoutGitSuffix(part) : part));
  return names.every(isRepositoryName) ? names : undefined;
}

/** Returns the folder of a server whose API is at this path: what is before `/api/v4`. */
function folderOf(apiPath: string): readonly string[] {
  const parts = decodedParts(apiPath) ?? [];
  const end = parts.lastIndexOf('api');
  return end === -1 ? [] : parts.slice(0, end);
}

function decodedParts(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
