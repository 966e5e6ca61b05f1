import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import type { GoogleServiceAccount } from '../../domain/core/google-service-account.ts';
import { untilAborted } from './cancellation.ts';
import { type GuardedHttp, HttpFailure } from './network/guarded-http.ts';

/** The only address that assertions are sent to, and the receiver that they name. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_TOKEN_CHARACTERS = 8_192;
const MAX_WORDS_CHARACTERS = 300;

/** Tokens are replaced this long before they end, so that none ends during a call. */
const RENEW_BEFORE_MS = 5 * 60_000;
const MAX_TOKENS_KEPT = 1_000;

/** Google gave no access token. The message can be shown and contains no secret. */
export class GoogleSignInFailure extends Error {
  override readonly name = 'GoogleSignInFailure';
  /** Whether Google rejected the service account, so that asking again does not help. */
  readonly isRejected: boolean;

  constructor(message: string, { isRejected, ...options }: ErrorOptions & { readonly isRejected: boolean }) {
    super(message, options);
    this.isRejected = isRejected;
  }
}

interface GoogleToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

interface TokenDeps {
  readonly http: GuardedHttp;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Where tokens are asked for; Google's address unless a test says otherwise. */
  readonly tokenUrl?: string;
}

/** Whose token is wanted, and what for. */
interface TokenSubject {
  readonly serviceAccount: GoogleServiceAccount;
  /** Such as `https://www.googleapis.com/auth/cloud-platform`. */
  readonly scopes: readonly string[];
}

/**
 * Exchanges the keys of Google service accounts for access tokens and keeps each until shortly before its end.
 * Concurrent calls share one exchange, which continues when one of them is stopped.
 */
export class GoogleTokens {
  readonly #deps: TokenDeps;
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, GoogleToken>({ max: MAX_TOKENS_KEPT });
  readonly #coming = new Map<string, Promise<GoogleToken>>();

  constructor(deps: TokenDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Returns an access token. Throws `GoogleSignInFailure`, or the signal's reason. */
  async tokenFor(subject: TokenSubject, signal: AbortSignal): Promise<string> {
    const key = keyOf(subject);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#now() < kept.expiresAt - RENEW_BEFORE_MS) return kept.token;
    const coming = this.#coming.get(key) ?? this.#fetch(key, subject);
    const { token } = await untilAborted(coming, signal);
    return token;
  }

  /** Forgets a token that was rejected, unless another one has replaced it by now. */
  forget(subject: TokenSubject, token: string): void {
    const key = keyOf(subject);
    if (this.#kept.get(key)?.token === token) this.#kept.delete(key);
  }

  async #fetch(key: string, subject: TokenSubject): Promise<GoogleToken> {
    const coming = fetchGoogleToken(this.#deps, subject, this.#now()).finally(() => this.#coming.delete(key));
    this.#coming.set(key, coming);
    const token = await coming;
    this.#kept.set(key, token);
    return token;
  }
}

// The private key is a part of it: who knows an address only gets nobody's token.
function keyOf({ serviceAccount: { clientEmail, privateKey }, scopes }: TokenSubject): string {
  return createHash('sha256')
    .update(JSON.stringify([clientEmail, privateKey, scopes]))
    .digest('hex');
}

async function fetchGoogleToken(
  { http, tokenUrl = TOKEN_URL }: TokenDeps,
  subject: TokenSubject,
  now: number,
): Promise<GoogleToken> {
  const { serviceAccount, scopes } = subject;
  const form = await googleAssertionForm(serviceAccount, { audience: TOKEN_URL, scopes, now });
  if (form === undefined)
    throw new GoogleSignInFailure('The private key of the Google service account cannot be used', { isRejected: true });
  const answer = await http
    .request({
      url: tokenUrl,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      followRedirects: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      signal: new AbortController().signal,
    })
    .catch((error: unknown) => {
      const words = error instanceof HttpFailure ? error.message : 'the request failed';
      throw new GoogleSignInFailure(`Google could not be asked for an access token: ${words}`, {
        isRejected: false,
        cause: error,
      });
    });
  const parsed = parseForeignJson(answer.body.toString('utf8'));
  return toToken(answer.status, 'value' in parsed ? parsed.value : undefined, now);
}

function toToken(status: number, answer: unknown, now: number): GoogleToken {
  const fields: Readonly<Record<string, unknown>> = typeof answer === 'object' && answer !== null ? { ...answer } : {};
  const { access_token: token, expires_in: seconds } = fields;
  if (status !== 200) throw rejected(status, fields);
  if (typeof token !== 'string' || token.length > MAX_TOKEN_CHARACTERS || !/^[\x21-\x7e]+$/.test(token))
    throw new GoogleSignInFailure('Google answered without an access token', { isRejected: false });
  const lifetime = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, GOOGLE_LIFETIME_SECONDS) : 0;
  return { token, expiresAt: now + lifetime * 1_000 };
}

function rejected(status: number, { error, error_description: description }: Readonly<Record<string, unknown>>) {
  const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const said = [error, description].filter((word) => typeof word === 'string').join(': ');
  const words = said.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_WORDS_CHARACTERS);
  const detail = words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
  const what = isRejected ? 'rejected the service account' : 'gave no access token';
  return new GoogleSignInFailure(`Google ${what} (${detail})`, { isRejected });
}

/** The request of a service account. */
interface AssertedRequest {
  /** The token endpoint, for which alone the assertion is good. */
  readonly audience: string;
  /** Such as `https://www.googleapis.com/auth/cloud-platform`. */
  readonly scopes: readonly string[];
  /** The user in whose name it works; itself unless given. */
  readonly subject?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The longest that Google takes an assertion for, and gives a token for. */
const GOOGLE_LIFETIME_SECONDS = 3_600;

/**
 * Returns the form with which a service account of Google asks for an access token: a signed JSON Web Token (RFC 7523).
 * Undefined when nothing can be signed with its private key.
 */
export async function googleAssertionForm(
  { clientEmail, privateKey, privateKeyId: kid }: GoogleServiceAccount,
  { audience, scopes, subject, now }: AssertedRequest,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { importPKCS8, SignJWT } = await import('jose');
  const issuedAt = Math.floor(now / 1_000);
  const claims = { scope: scopes.join(' '), ...(subject !== undefined && { sub: subject }) };
  try {
    const key = await importPKCS8(privateKey, 'RS256');
    const assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
      .setIssuer(clientEmail)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + GOOGLE_LIFETIME_SECONDS)
      .sign(key);
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  } catch {
    // The library's error may quote the key.
    return undefined;
  }
}
