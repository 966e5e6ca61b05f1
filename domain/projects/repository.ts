import { baseUrlIssue, type PrivateHosts } from '../network/index.ts';

/** The kinds of code hosts. A project without a repository has none. */
export const REPO_TYPES = ['', 'github', 'gitlab', 'gitea'] as const;
export type RepoType = (typeof REPO_TYPES)[number];

const KNOWN_HOSTS: ReadonlyMap<string, RepoType> = new Map([
  ['github.com', 'github'],
  ['www.github.com', 'github'],
  ['gitlab.com', 'gitlab'],
  ['gitea.com', 'gitea'],
  ['codeberg.org', 'gitea'],
]);

/** Returns the kind of host that an address leads to, '' for a host that is not commonly known. */
export function repoTypeOf(url: string): RepoType {
  return KNOWN_HOSTS.get(URL.parse(url)?.hostname ?? '') ?? '';
}

/**
 * Returns why a text cannot be stored as the address of a repository, or `undefined`. Members see it and agents are told it,
 * so it holds no credentials: neither before the host nor behind the path.
 */
export function repoUrlIssue(url: string, privateHosts: PrivateHosts): string | undefined {
  const issue = baseUrlIssue(url, privateHosts);
  if (issue !== undefined) return issue;
  const parsed = URL.parse(url);
  if (parsed === null) return 'is not a valid URL';
  if (url.includes('?')) return 'must not contain a query (?)';
  const names = parsed.pathname.split('/').filter((part) => part !== '');
  if (names.length < 2) return 'must name a repository, such as https://github.com/owner/name';
  return undefined;
}
