import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from '../local-server.ts';

/** A request that has arrived. */
interface ArrivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly clientId: string;
}

/**
 * An authorization server: it registers clients, lets everybody sign in at once, and gives tokens for codes (with
 * PKCE), for client credentials and for refresh tokens, each of which is good for one use.
 */
export class AuthorizationServer extends LocalServer {
  readonly requests: ArrivedRequest[] = [];
  /** The token that is taken at present. */
  token = '';
  tokenCount = 0;
  /** What its metadata say instead. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** A path whose requests it sends on to another server. */
  redirected: { readonly path: string; readonly to: string } | undefined;
  #refreshToken = '';
  readonly #grants = new Map<string, Grant>();

  static async start(): Promise<AuthorizationServer> {
    return new AuthorizationServer().listen();
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  at(path: string): ArrivedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const url = new URL(request.url ?? '', this.issuer);
    this.requests.push({ path: url.pathname, authorization: request.headers.authorization, body });
    if (this.redirected?.path === url.pathname)
      return void response.writeHead(307, { location: `${this.redirected.to}${url.pathname}` }).end();
    const answer = (value: object, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return answer(this.#metadata());
      case '/register':
        return answer({ ...(JSON.parse(body) as object), client_id: `client-${randomUUID()}` }, 201);
      case '/authorize':
        return void response.writeHead(302, { location: this.#authorize(url.searchParams) }).end();
      case '/token':
        return this.#giveToken(new URLSearchParams(body), answer);
      default:
        return void response.writeHead(404).end();
    }
  }

  #metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      ...this.metadata,
    };
  }

  #authorize(query: URLSearchParams): string {
    const get = (name: string) => query.get(name) ?? '';
    const code = randomUUID();
    const redirectUri = get('redirect_uri');
    this.#grants.set(code, { challenge: get('code_challenge'), redirectUri, clientId: get('client_id') });
    return `${redirectUri}?${new URLSearchParams({ code, state: get('state') }).toString()}`;
  }

  #giveToken(form: URLSearchParams, answer: (value: object, status?: number) => void): void {
    if (!this.#isGranted(form)) return answer({ error: 'invalid_grant' }, 400);
    this.tokenCount += 1;
    this.token = `token-${this.tokenCount}`;
    this.#refreshToken = `refresh-${this.tokenCount}`;
    const refresh = form.get('grant_type') !== 'client_credentials' && { refresh_token: this.#refreshToken };
    answer({ access_token: this.token, token_type: 'Bearer', expires_in: 3600, ...refresh });
  }

  #isGranted(form: URLSearchParams): boolean {
    const grantType = form.get('grant_type');
    if (grantType === 'client_credentials') return true;
    if (grantType === 'refresh_token') return form.get('refresh_token') === this.#refreshToken;
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri');
  }
}
