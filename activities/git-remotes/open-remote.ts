import { types } from 'node:util';
import { GIT_KINDS } from '../../domain/git-remotes.ts';
import { gitUrlOf, isWithin } from '../../domain/integrations/address.ts';
import type { IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import type { Secrets } from '../../domain/integrations/integration-kind.ts';
import { endpointUrlIssue, hostOf, portOf } from '../../domain/network/host-names.ts';
import type { PrivateHosts } from '../../domain/network/addresses.ts';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';
import { CallSecrets } from '../integrations/open-credentials.ts';
import { TokenFailure } from '../integrations/request-token.ts';
import { GitGateway, type GitRemote } from './git-gateway.ts';
import type { Credentials } from './refusal.ts';

/** An integration of the organization, whose secrets are opened when it is tried. */
interface RemoteIntegration {
  readonly kind: IntegrationKindKey;
  readonly name: string;
  readonly apiUrl: string;
  /** Opens them; where they can be renewed, replaces those that the server has just rejected. */
  openSecrets(rejected?: Secrets): Promise<Secrets>;
}

/** The dependencies of reaching repositories on other servers. */
export interface RemoteDeps {
  readonly fetch: GuardedFetch;
  readonly privateHosts: PrivateHosts;
  /** Returns the integrations of the organization that are of these kinds, oldest first. */
  readonly listIntegrations: (kinds: readonly IntegrationKindKey[]) => Promise<readonly RemoteIntegration[]>;
}

/** A way to a repository, and what removes its credentials from texts of the server. */
export interface OpenedRemote {
  readonly gateway: GitGateway;
  mask(text: string): string;
}

/** Opens the way to a repository with the credentials of the organization. Throws `RemoteError`. */
export type OpenRemote = (remote: GitRemote) => Promise<OpenedRemote>;

/** The repository must not be reached; the message is for the model. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

/** The credentials of one host that are tried, one after the other. */
const MAX_TRIED = 5;

/** The user names under which hosts take a token as a password. A token of the kind `git` may bring its own. */
const USERS: Readonly<Partial<Record<IntegrationKindKey, string>>> = { gitlab: 'oauth2', gitea: 'oauth2' };
const USER = 'x-access-token';

/** Returns how a call reaches repositories of other servers. */
export function openRemotes({ fetch, privateHosts, listIntegrations }: RemoteDeps): OpenRemote {
  return async (remote) => {
    rejectUnreachable(remote.url, privateHosts);
    const all = await listIntegrations(GIT_KINDS);
    const serving = all.filter((each) => isWithin(gitUrlOf(each) ?? '', remote.url)).slice(0, MAX_TRIED);
    const opened = await Promise.all(serving.map(withCredentials));
    return {
      gateway: new GitGateway(remote, { fetch, credentials: opened }),
      mask: (text) => opened.reduce((masked, { callSecrets }) => callSecrets.mask(masked), text),
    };
  };
}

// In clear, everybody on the way could read the credentials; the operator knows the way to the hosts that are private.
function rejectUnreachable(text: string, privateHosts: PrivateHosts): void {
  const issue = endpointUrlIssue(text, privateHosts);
  if (issue !== undefined) throw new RemoteError(`The address ${issue}`);
  const url = new URL(text);
  if (url.protocol === 'https:' || privateHosts.allows(hostOf(url), portOf(url))) return;
  throw new RemoteError('Repositories are reached over https only: give its address that begins with https://');
}

async function withCredentials({ name, kind, ...integration }: RemoteIntegration) {
  let failure: string | undefined;
  const callSecrets = new CallSecrets(await integration.openSecrets(), {
    // Then the rejection counts, and other credentials, or none, may suffice.
    renew: async (rejected) =>
      integration.openSecrets(rejected).catch((error: unknown) => {
        failure = whyNotRenewed(error, name);
        return rejected;
      }),
    masked: ({ token = '' }) => {
      const pair = pairOf(kind, token);
      return [token, pair.slice(pair.indexOf(':') + 1), basicOf(kind, token)];
    },
  });
  const send: Credentials['send'] = async (request, { mayRepeat }) => {
    let former: Response | undefined;
    const sendWith = async ({ token = '' }: Secrets) => {
      await former?.body?.cancel();
      former = await request({ authorization: `Basic ${basicOf(kind, token)}` });
      return former;
    };
    return callSecrets.send(sendWith, ({ status }) => status === 401 && mayRepeat);
  };
  return { name, send, callSecrets, whyNotRenewed: () => failure };
}

function whyNotRenewed(error: unknown, name: string): string {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause)
    if (cause instanceof TokenFailure) return cause.message;
  return `The token of the integration ${name} could not be renewed`;
}

function basicOf(kind: IntegrationKindKey, token: string): string {
  return Buffer.from(pairOf(kind, token)).toString('base64');
}

function pairOf(kind: IntegrationKindKey, token: string): string {
  return kind === 'git' && token.includes(':') ? token : `${USERS[kind] ?? USER}:${token}`;
}
