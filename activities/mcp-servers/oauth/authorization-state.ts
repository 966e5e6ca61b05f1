import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { randomBytes } from 'node:crypto';
import type { McpConfig } from '../../../domain/mcp-servers.ts';

/** The state of a person's sign-in at an MCP server: between its parts, and the grant afterwards. */
export interface AuthorizationState {
  /** The client that was registered for it; absent for one that the record names. */
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  verifier?: string | undefined;
  state?: string | undefined;
  authorizationUrl?: string | undefined;
  /** The answer of the authorization server, with which the person came back. */
  answer?: { readonly code: string; readonly iss?: string | undefined } | undefined;
}

interface ProviderOptions {
  readonly authorization: AuthorizationState;
  readonly redirectUrl: string;
  readonly oauth: McpConfig['oauth'];
  /** The secret of the client that the record names. */
  readonly clientSecret: string | null;
}

/**
 * Makes the SDK's provider of credentials over the state of an authorization. It redirects nobody: it notes where a
 * person has to go.
 */
export function providerOver({
  authorization,
  redirectUrl,
  oauth,
  clientSecret,
}: ProviderOptions): OAuthClientProvider {
  const named = namedClient(oauth, clientSecret);
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Everturn',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(oauth?.scope !== undefined && { scope: oauth.scope }),
  };
  return {
    redirectUrl,
    clientMetadata,
    state: () => (authorization.state = randomBytes(32).toString('base64url')),
    clientInformation: () => named ?? authorization.client,
    // Without it the SDK does not register a client that replaces the named one.
    ...(named === undefined && {
      saveClientInformation: (client: StoredOAuthClientInformation) => {
        authorization.client = client;
      },
    }),
    tokens: () => authorization.tokens,
    saveTokens: (tokens) => {
      authorization.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      authorization.authorizationUrl = url.href;
    },
    saveCodeVerifier: (verifier) => {
      authorization.verifier = verifier;
    },
    codeVerifier: () => authorization.verifier ?? '',
    saveDiscoveryState: (discovery) => {
      authorization.discovery = discovery;
    },
    discoveryState: () => authorization.discovery,
  };
}

function namedClient(oauth: McpConfig['oauth'], secret: string | null): StoredOAuthClientInformation | undefined {
  if (oauth?.client_id === undefined || oauth.issuer === undefined) return undefined;
  return { client_id: oauth.client_id, issuer: oauth.issuer, ...(secret !== null && { client_secret: secret }) };
}
