import { setTimeout as sleep } from 'node:timers/promises';
import {
  auth,
  type AuthProvider,
  ClientCredentialsProvider,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import type { Database } from '../../../db/core/database.ts';
import type { SecretBox } from '../../../db/core/secret-box.ts';
import { isSameGrant, openGrant, readGrant, replaceGrant } from '../../../db/mcp-servers/sign-ins.ts';
import type { McpConnection } from '../../../db/mcp-servers/for-turn.ts';
import { openAuthValue } from '../../../db/mcp-servers/mcp-servers.ts';
import { readSecretHeader } from '../../../domain/mcp-servers.ts';
import { Exchange } from '../sessions/session-fetch.ts';
import { McpFailure } from '../mcp-failure.ts';
import { type AuthorizationState, providerOver } from './authorization-state.ts';

type UnauthorizedContext = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

interface GrantDeps {
  readonly database: Database;
  readonly box: SecretBox;
}

/** How long a token that another process asks for at this moment may take to be stored. */
const OTHERS_MS = 500;

/**
 * The tokens that a person has granted for a server. One that has run out is renewed once, however many calls notice.
 */
export class StoredGrant implements AuthProvider {
  readonly #deps: GrantDeps;
  readonly #server: McpConnection;
  /** The token that each exchange was begun with. */
  readonly #sent = new WeakMap<Exchange, string | undefined>();
  #granted: Buffer | null;
  #renewing: Promise<void> | undefined;

  constructor(deps: GrantDeps, server: McpConnection) {
    this.#deps = deps;
    this.#server = server;
    this.#granted = server.granted;
  }

  async token(): Promise<string | undefined> {
    const token = this.#token;
    if (Exchange.current !== undefined) this.#sent.set(Exchange.current, token);
    return token;
  }

  async onUnauthorized(context: UnauthorizedContext): Promise<void> {
    const sent = Exchange.current && this.#sent.get(Exchange.current);
    // Another call has had it renewed while this one was under way.
    if (sent !== undefined && sent !== this.#token) return;
    this.#renewing ??= this.#renew(context).finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  get #token(): string | undefined {
    return this.#authorization?.tokens?.access_token;
  }

  get #authorization(): AuthorizationState | undefined {
    return this.#granted === null
      ? undefined
      : (openGrant(this.#deps.box, this.#ref, this.#granted) as AuthorizationState);
  }

  get #ref() {
    return { orgId: this.#server.orgId, serverId: this.#server.id };
  }

  async #renew({ response, serverUrl, fetchFn }: UnauthorizedContext): Promise<void> {
    if (await this.#hasOthers()) return;
    const former = this.#granted;
    const authorization = this.#authorization;
    if (former === null || authorization?.tokens?.refresh_token === undefined) throw signInAgain();
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    const { config } = this.#server;
    const provider = providerOver({
      authorization,
      // Nobody is sent there: a renewal that fails ends below.
      redirectUrl: serverUrl.href,
      oauth: config.oauth,
      clientSecret: openAuthValue(this.#deps.box, this.#server),
    });
    const outcome = await auth(provider, {
      serverUrl,
      fetchFn,
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    }).catch(() => undefined);
    if (outcome === 'AUTHORIZED') return this.#keep(former, authorization);
    // Another process may have used the same token a moment before.
    await sleep(OTHERS_MS);
    if (!(await this.#hasOthers())) throw signInAgain();
  }

  async #keep(former: Buffer, { client, tokens, discovery }: AuthorizationState): Promise<void> {
    const { database, box } = this.#deps;
    const granted = await replaceGrant(database, box, this.#ref, { former, value: { client, tokens, discovery } });
    if (granted === undefined) await this.#hasOthers();
    else this.#granted = granted;
  }

  /** Adopts the grant that another process has stored; returns whether it is another one. */
  async #hasOthers(): Promise<boolean> {
    const { database, box } = this.#deps;
    const [former, stored] = [this.#granted, await readGrant(database, this.#ref)];
    if (stored === null) return false;
    this.#granted = stored;
    return former === null || !isSameGrant(box, this.#ref, former, stored);
  }
}

function signInAgain(): McpFailure {
  return new McpFailure(
    'denied',
    'Somebody has to sign in at this MCP server, or to do so again: its administrators can',
  );
}

/** How a session shows who calls. */
interface Authorization {
  /** Sent to the server itself, and to nobody else. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs in at the authorization server of the server. */
  readonly provider?: OAuthClientProvider | AuthProvider;
}

/** Opens the secret of a server, and returns how to use it. */
export function authorizationOf(deps: GrantDeps, server: McpConnection): Authorization {
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
