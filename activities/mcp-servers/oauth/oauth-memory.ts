import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { randomBytes } from 'node:crypto';
import type { McpConfig } from '../../../domain/mcp-servers/index.ts';

/** What is known of a person's sign-in at an MCP server: between its parts, and what was granted afterwards. */
export interface OAuthMemory {
  /** The client that was registered for it; absent for one that the record names. */
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  verifier?: string | undefined;
  state?: string | undefined;
  authorizationUrl?: string | undefined;
  /** What the authorization server has sent the person back with. */
  answer?: { readonly code: string; readonly iss?: string | undefined } | undefined;
}

interface ProviderOptions {
  readonly memory: OAuthMemory;
  readonly redirectUrl: string;
  readonly oauth: McpConfig['oauth'];
  /** The secret of the client that the record names. */
  readonly clientSecret: string | null;
}

/** Makes the SDK's provider of credentials over a memory. It redirects nobody: it notes where a person has to go. */
export function providerOver({ memory, redirectUrl, oauth, clientSecret }: ProviderOptions): OAuthClientProvider {
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
    state: () => (memory.state = randomBytes(32).toString('base64url')),
    clientInformation: () => named ?? memory.client,
    // Without it the SDK registers no client in the place of the named one.
    ...(named === undefined && {
      saveClientInformation: (client: StoredOAuthClientInformation) => {
        memory.client = client;
      },
    }),
    tokens: () => memory.tokens,
    saveTokens: (tokens) => {
      memory.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      memory.authorizationUrl = url.href;
    },
    saveCodeVerifier: (verifier) => {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier ?? '',
    saveDiscoveryState: (discovery) => {
      memory.discovery = discovery;
    },
    discoveryState: () => memory.discovery,
  };
}

function namedClient(oauth: McpConfig['oauth'], secret: string | null): StoredOAuthClientInformation | undefined {
  if (oauth?.client_id === undefined || oauth.issuer === undefined) return undefined;
  return { client_id: oauth.client_id, issuer: oauth.issuer, ...(secret !== null && { client_secret: secret }) };
}
