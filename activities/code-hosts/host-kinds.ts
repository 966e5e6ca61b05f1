import { apiUrlOf } from '../../domain/integrations/index.ts';
import type { CodeHostKind } from '../../domain/projects/index.ts';

/** How requests to a kind of code hosts differ from those to others. */
interface HostKind {
  readonly name: string;
  /** The address of the API for a repository at this origin, for those that are read without an integration. */
  readonly apiUrlAt: (origin: string) => string;
  /** The path below the address of the API that everything of a repository is under. */
  readonly repositoryPath: (names: readonly string[]) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: (token: string) => string;
}

const GITHUB_COM: ReadonlySet<string> = new Set(['https://github.com', 'https://www.github.com']);

/** The kinds of code hosts whose API is spoken. */
export const HOST_KINDS: Readonly<Record<CodeHostKind, HostKind>> = {
  github: {
    name: 'GitHub',
    apiUrlAt: (origin) => (GITHUB_COM.has(origin) ? apiUrlOf({ kind: 'github', baseUrl: null }) : `${origin}/api/v3`),
    repositoryPath: ownerAndName,
    headers: { Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' },
    authorization: (token) => `Bearer ${token}`,
  },
  gitlab: {
    name: 'GitLab',
    apiUrlAt: (origin) => apiUrlOf({ kind: 'gitlab', baseUrl: origin }),
    repositoryPath: (names) => `/projects/${names.map(encodeURIComponent).join('%2F')}`,
    headers: { Accept: 'application/json' },
    authorization: (token) => `Bearer ${token}`,
  },
  gitea: {
    name: 'Gitea',
    apiUrlAt: (origin) => apiUrlOf({ kind: 'gitea', baseUrl: origin }),
    repositoryPath: ownerAndName,
    headers: { Accept: 'application/json' },
    authorization: (token) => `token ${token}`,
  },
};

// Behind the two names an address may go on, to a branch or a list of issues.
function ownerAndName([owner = '', name = '']: readonly string[]): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
