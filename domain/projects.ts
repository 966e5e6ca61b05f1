import { decodedPart, isShowable } from './core/text.ts';
import { baseUrlIssue } from './network/host-names.ts';
import type { PrivateHosts } from './network/addresses.ts';

/** The kinds of code hosts. A project without a repository has none. */
export const REPO_TYPES = ['', 'github', 'gitlab', 'gitea'] as const;
export type RepoType = (typeof REPO_TYPES)[number];

/** The kinds of code hosts, by their keys. */
export const CODE_HOST_KINDS = ['github', 'gitlab', 'gitea'] as const satisfies readonly RepoType[];

/** The kind of a code host. */
export type CodeHostKind = (typeof CODE_HOST_KINDS)[number];

/**
 * The state of a project's repository: there is none, it is about to be read, was read, has no commits, or could not be
 * read when that was last tried.
 */
export const REPO_STATUSES = ['none', 'pending', 'ready', 'empty', 'failed'] as const;
export type RepoStatus = (typeof REPO_STATUSES)[number];

const GIT_SUFFIX = '.git';

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
 * Returns why a text cannot be stored as the address of a repository, or `undefined`. Members and agents see it, so it
 * contains no credentials: neither before the host nor behind the path.
 */
export function repoUrlIssue(url: string, privateHosts: PrivateHosts): string | undefined {
  const issue = baseUrlIssue(url, privateHosts);
  if (issue !== undefined) return issue;
  const parsed = URL.parse(url);
  if (parsed === null) return 'is not a valid URL';
  if (url.includes('\\')) return 'must not contain a backslash';
  if (url.includes('?')) return 'must not contain a query (?)';
  const names = parsed.pathname.split('/').filter((part) => part !== '');
  if (names.length < 2) return 'must name a repository, such as https://github.com/owner/name';
  const isNamed = names
    .map(decodedPart)
    .every((name, index) => isRepositoryName(index === 0 ? name : withoutGitSuffix(name)));
  return isNamed ? undefined : 'must name a repository by names that show as they are';
}

/** Returns a name in the address of a repository without the ending of Git. */
export function withoutGitSuffix(name: string): string {
  return name.endsWith(GIT_SUFFIX) ? name.slice(0, -GIT_SUFFIX.length) : name;
}

/**
 * Returns whether a decoded part of an address names an owner, a group or a repository: one that is empty or consists
 * of dots would lead to another path at the host, and invisible marks disguise it as another one.
 */
export function isRepositoryName(name: string): boolean {
  return !['', '.', '..'].includes(name) && isShowable(name) && !/[/\\]/.test(name);
}

/** The actions in the log of a project. */
export const LOG_ACTIONS = [
  'created',
  'updated',
  'deleted',
  'restored',
  'assigned',
  'shared',
  'made_private',
  /** Taken over from the code host. */
  'synced',
] as const;
export type LogAction = (typeof LOG_ACTIONS)[number];

/** The records that it is done to. */
export const LOG_RECORD_TYPES = ['project', 'issue', 'comment', 'task', 'chat'] as const;
export type LogRecordType = (typeof LOG_RECORD_TYPES)[number];

/** A value of a field, as far as a log shows it. */
type LogValue = string | string[] | null;

/** The fields that were changed, with what they were and became. */
export type LogChanges = Record<string, { from: LogValue; to: LogValue }>;
