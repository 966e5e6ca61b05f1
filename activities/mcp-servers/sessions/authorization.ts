import { type AuthProvider, ClientCredentialsProvider, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { type McpConnection, openAuthValue } from '../../../db/mcp-servers/index.ts';
import type { Database, SecretBox } from '../../../db/core/index.ts';
import { readSecretHeader } from '../../../domain/mcp-servers/index.ts';
import { StoredGrant } from '../oauth/stored-grant.ts';

interface AuthorizationDeps {
  readonly database: Database;
  readonly box: SecretBox;
}

/** How a session shows who calls. */
interface Authorization {
  /** Sent to the server itself, and to nobody else. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs in at the authorization server of the server. */
  readonly provider?: OAuthClientProvider | AuthProvider;
}

/** Opens the secret of a server, and returns how to use it. */
export function authorizationOf(deps: AuthorizationDeps, server: McpConnection): Authorization {
  const { authType, config } = server;
  const headers = { ...config.headers };
  const secret = openAuthValue(deps.box, server) ?? '';
  if (authType === 'bearer') return { headers: { ...headers, Authorization: `Bearer ${secret}` } };
  if (authType === 'header') {
    const header = readSecretHeader(secret);
    return { headers: header === undefined ? headers : { ...headers, [header.name]: header.value } };
  }
  const { oauth } = config;
  if (authType !== 'oauth') return { headers };
  if (oauth?.grant === 'authorization_code') return { headers, provider: new StoredGrant(deps, server) };
  if (oauth?.client_id === undefined || oauth.issuer === undefined) return { headers };
  // The secret goes to the named authorization server only, whatever the server says.
  const provider = new ClientCredentialsProvider({
    clientId: oauth.client_id,
    clientSecret: secret,
    expectedIssuer: oauth.issuer,
    ...(oauth.scope !== undefined && { scope: oauth.scope }),
  });
  return { headers, provider };
}
