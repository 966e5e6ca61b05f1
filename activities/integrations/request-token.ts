import { z } from 'zod';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import type { KindOAuth } from '../../domain/integrations/integration-kind.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/network/guarded-http.ts';

/** The client that an organization has registered with a service. */
export interface OAuthClient {
  readonly id: string;
  readonly secret: string;
  /** How it shows its secret. */
  readonly authentication: KindOAuth['clientAuthentication'];
}

/** A request of the token endpoint, or of the one that takes tokens back. */
interface TokenRequest {
  readonly url: string;
  /** The name of the service, for people. */
  readonly service: string;
  readonly form: Readonly<Record<string, string>>;
  /** None where the form says who asks. */
  readonly client?: OAuthClient | undefined;
}

/** The tokens that a service has given. */
interface GivenTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** In milliseconds of the epoch; undefined when the service does not say. */
  readonly expiresAt: number | undefined;
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 64 * 1024;
const token = z.string().regex(/^[\x21-\x7e]{1,16384}$/);

const answerSchema = z.object({
  access_token: token,
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  // Some services give the number as a text.
  expires_in: z.coerce.number().positive().max(31_536_000).optional(),
  refresh_token: token.optional(),
});
const refusalSchema = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

/** Asks a service for tokens. Throws `TokenFailure`, or the signal's reason once it has aborted. */
export async function requestToken(
  http: GuardedHttp,
  request: TokenRequest,
  signal: AbortSignal,
): Promise<GivenTokens> {
  const answer = await post(http, request, signal);
  const said = jsonOf(answer);
  const refusal = refusalSchema.safeParse(said).data?.error;
  // GitHub refuses with the status 200.
  if (refusal !== undefined || answer.status >= 300) throw refused(request.service, answer.status, refusal);
  const { data } = answerSchema.safeParse(said);
  if (data === undefined) throw new TokenFailure('unavailable', `The response of ${request.service} contains no token`);
  return {
    accessToken: data.access_token,
    refreshToken: data.refresh_token,
    expiresAt: data.expires_in === undefined ? undefined : Date.now() + data.expires_in * 1_000,
  };
}

/** Revokes a token at its service. A failure is ignored. */
export async function revokeToken(http: GuardedHttp, request: TokenRequest, signal: AbortSignal): Promise<void> {
  await post(http, request, signal);
}

async function post(
  http: GuardedHttp,
  { url, service, form, client }: TokenRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const inForm = client?.authentication === 'form' && { client_id: client.id, client_secret: client.secret };
  try {
    return await http.request({
      url,
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        ...(client?.authentication === 'basic' && { Authorization: basicOf(client) }),
      },
      body: new URLSearchParams({ ...form, ...inForm }).toString(),
      // Codes, tokens and secrets go to no address but that of the kind.
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    throw new TokenFailure('unavailable', `${service} gave no token: ${error.message}`, { cause: error });
  }
}

// Both parts are encoded as in a form (RFC 6749, 2.3.1).
function basicOf({ id, secret }: OAuthClient): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`;
}

function jsonOf({ body, isTruncated }: GuardedResponse): unknown {
  if (isTruncated) return undefined;
  const parsed = parseForeignJson(body.toString(), { maxDepth: 20, maxValues: 1_000 });
  return 'value' in parsed ? parsed.value : undefined;
}

function refused(service: string, status: number, code: string | undefined): TokenFailure {
  const said = code === undefined ? `status ${status}` : code;
  if (code === 'invalid_grant' || code === 'bad_refresh_token')
    return new TokenFailure('ended', `${service} does not take the sign-in (${said})`);
  if (code === 'invalid_client' || code === 'unauthorized_client' || status === 401)
    return new TokenFailure('refused', `${service} has rejected the client: check its id and secret (${said})`);
  if (status >= 500 || status === 429)
    return new TokenFailure('unavailable', `${service} gave no token at present (${said})`);
  if (status >= 300 && status < 400)
    return new TokenFailure('unavailable', `${service} redirects to where credentials are not sent (${said})`);
  return new TokenFailure('refused', `${service} gave no token (${said})`);
}

/**
 * Why there is no token to make a request with. The message is for people: it contains no secret and no foreign text.
 */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
  /**
   * `ended`: what was granted is worth nothing any more. `refused`: other credentials are needed. `unavailable`: the
   * same request may succeed later.
   */
  readonly kind: 'ended' | 'refused' | 'unavailable';

  constructor(kind: TokenFailure['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
