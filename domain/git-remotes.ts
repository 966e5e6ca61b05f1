import type { IntegrationKindKey } from './integrations/kinds/index.ts';
import { isRepositoryName, withoutGitSuffix } from './projects.ts';
import { decodedPart } from './core/text.ts';

/** A repository at another server. */
export interface RemoteAddress {
  /** Begins with https:// or http://, and has no slash at its end. */
  readonly url: string;
  /** Its name at the server, without the ending of Git. */
  readonly name: string;
}

/** An ssh address, such as `git@github.com:owner/name.git`. */
const OVER_SSH = /^[\w.-]{1,64}@(?<host>[\w.-]{1,253}):(?<path>[^:]*)$/;
const SCHEME = /^(?<scheme>[a-z][a-z0-9+.-]{0,30}):/i;
const HTTPS_ONLY = 'give its address that begins with https://';

/**
 * Reads the address of a repository, or says in words why it cannot be used. One that is cloned by ssh becomes the
 * address of the same repository over https, which every well-known host has.
 */
export function readRemoteAddress(text: string): RemoteAddress | { readonly issue: string } {
  if (/[\s\p{Cc}\\]/u.test(text))
    return { issue: 'The address of the repository must not contain spaces, control characters or backslashes' };
  const overSsh = OVER_SSH.exec(text)?.groups;
  if (overSsh !== undefined) return readUrl(`https://${overSsh['host']}/${overSsh['path']?.replace(/^\//, '')}`);
  const scheme = SCHEME.exec(text)?.groups?.['scheme']?.toLowerCase();
  if (scheme === 'https' || scheme === 'http') return readUrl(text);
  if (scheme === undefined) return { issue: `"${text.slice(0, 100)}" is no address of a repository: ${HTTPS_ONLY}` };
  return { issue: `Repositories are reached over https only, not by ${scheme}: ${HTTPS_ONLY}` };
}

function readUrl(text: string): RemoteAddress | { readonly issue: string } {
  const url = URL.parse(text);
  if (url === null) return { issue: 'The address of the repository is not a valid URL' };
  if (url.username !== '' || url.password !== '')
    return {
      issue: 'The address of the repository must not contain a user name or token: use an integration for its host',
    };
  if (url.search !== '' || url.hash !== '')
    return { issue: 'The address of the repository must not have a query (?) or a fragment (#)' };
  const parts = url.pathname.replace(/\/$/, '').split('/').slice(1);
  const names = parts.map(decodedPart);
  if (names.length === 0 || !names.every(isRepositoryName))
    return { issue: 'The address must name a repository, such as https://github.com/owner/name' };
  const name = withoutGitSuffix(names.at(-1) ?? '');
  return name === ''
    ? { issue: 'The address must name a repository, such as https://github.com/owner/name' }
    : { url: `${url.origin}/${parts.join('/')}`, name };
}

/** The kinds of integrations whose credentials reach repositories. */
export const GIT_KINDS = ['github', 'gitlab', 'gitea', 'git'] as const satisfies readonly IntegrationKindKey[];
