import { generateKeyPairSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { OAuth2Server } from 'oauth2-mock-server';

/** A request that the token endpoint has answered. */
interface TokenExchange {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, unknown>>;
}

/** What the token endpoint answers with instead; its own members stay where they are not named. */
interface TokenReply {
  readonly status?: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A GitLab server as far as signing in goes: an OAuth server that checks PKCE, with GitLab's paths, and the route that
 * says whose a token is.
 */
export class GitlabAuthority {
  readonly exchanges: TokenExchange[] = [];
  /** The headers of requests to the API. */
  readonly calls: IncomingHttpHeaders[] = [];
  revocations = 0;
  /** Answers of the token endpoint, until they are taken away. */
  reply: TokenReply | undefined;
  readonly #server = new OAuth2Server(undefined, undefined, {
    endpoints: { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' },
  });

  static async start(): Promise<GitlabAuthority> {
    const authority = new GitlabAuthority();
    await authority.#start();
    return authority;
  }

  async #start(): Promise<void> {
    const { issuer, service } = this.#server;
    // A key that the package makes itself is, in a test, an object of another realm, which it does not take.
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await issuer.keys.add({ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', kid: 'key-1' });
    service.on('beforeResponse', (response, { headers, body }) => {
      this.exchanges.push({ authorization: headers.authorization, form: { ...body } });
      if (this.reply === undefined) return;
      response.statusCode = this.reply.status ?? 200;
      response.body = { ...response.body, ...this.reply.body };
    });
    service.on('beforeRevoke', () => {
      this.revocations += 1;
    });
    service.addRoute('GET', '/api/v4/user', (request, response) => {
      this.calls.push(request.headers);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ username: 'ada' }));
    });
    await this.#server.start(0, '127.0.0.1');
  }

  get port(): number {
    return this.#server.address().port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    await this.#server.stop();
  }
}
