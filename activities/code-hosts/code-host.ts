import type { z } from 'zod';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { apiUrlOf, isWithin } from '../../domain/integrations/address.ts';
import type { CodeHostKind } from '../../domain/projects.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/network/guarded-http.ts';
import { askedWaitMs, DEFAULT_WAIT_MS, pauseMs } from '../core/network/rate-limit.ts';

const SECONDARY_LIMIT = /secondary rate limit/i;

/** A request about a repository. */
interface HostRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below that of the repository; begins with a slash, unless it is empty. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The ETag of a former answer: when nothing has changed since, the status is 304. */
  readonly etag?: string | undefined;
  readonly maxBytes: number;
}

/** An answer with a status below 300, or 304. */
export interface HostAnswer {
  readonly status: number;
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly etag: string | undefined;
  /** Whether there is another page: the host says so in `Link` or `X-Next-Page`. */
  readonly hasNext: boolean;
  /** How long to wait before the next request; 0 unless this was the last one that the host takes for a while. */
  readonly pauseMs: number;
}

/**
 * A repository at its code host. What is asked for is up to those who read it: each kind of hosts has its own paths.
 */
export interface CodeHost {
  readonly kind: CodeHostKind;
  readonly hasCredentials: boolean;
  /** Sends a request, and throws a `CodeHostError` unless it was answered as asked for. */
  request(request: HostRequest): Promise<HostAnswer>;
}

interface HostAddress {
  readonly kind: CodeHostKind;
  readonly apiUrl: string;
  /** The names in the address of the repository. */
  readonly names: readonly string[];
  readonly token: string | undefined;
  /** Returns a replacement for a token that the host has rejected; the same one where there is no other. */
  readonly renew?: ((rejected: string) => Promise<string | undefined>) | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_ETAG = 500;

/** Returns the repository at this address. Its credentials are sent to the address of the API only, and below. */
export function createCodeHost(http: GuardedHttp, address: HostAddress, signal: AbortSignal): CodeHost {
  let current = address;
  return {
    kind: address.kind,
    hasCredentials: address.token !== undefined,
    request: async (request) => {
      const response = await send(http, current, request, signal);
      const renewed = response.status === 401 ? await withOtherToken(current) : undefined;
      if (renewed === undefined) return toAnswer(current, request, response);
      current = renewed;
      // A host that has rejected the credentials has done nothing.
      return toAnswer(current, request, await send(http, current, request, signal));
    },
  };
}

async function withOtherToken(address: HostAddress): Promise<HostAddress | undefined> {
  const { token, renew } = address;
  const other = token === undefined ? undefined : await renew?.(token);
  return other === undefined || other === token ? undefined : { ...address, token: other };
}

/**
 * Reads the answer as JSON of this shape; `unexpected` when it is not, `too_large` when it contains too many values.
 */
export function readJson<T>(host: Pick<CodeHost, 'kind'>, { body }: Pick<HostAnswer, 'body'>, schema: z.ZodType<T>): T {
  const json = parseForeignJson(body, { maxDepth: 40 });
  const { name } = HOST_KINDS[host.kind];
  if ('issue' in json) {
    if (json.isTooLarge) throw new CodeHostError('too_large', `A response of ${name} is too large`);
    throw new CodeHostError('unexpected', `The answer is not ${name}'s; check the address`);
  }
  const read = schema.safeParse(json.value);
  if (read.success) return read.data;
  throw new CodeHostError('unexpected', `An answer of ${name} is not as its documentation says`, { cause: read.error });
}

async function send(
  http: GuardedHttp,
  address: HostAddress,
  request: HostRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { method = 'GET', body, maxBytes } = request;
  const { kind, apiUrl } = address;
  try {
    return await http.request({
      url: urlOf(address, request),
      method,
      headers: headersOf(address, request),
      body: body && JSON.stringify(body),
      followRedirects: true,
      // GitHub asks to repeat a change of a renamed repository as it is.
      repeatsPost: true,
      mayFollow: followerOf(apiUrl, method),
      timeoutMs: TIMEOUT_MS,
      maxBytes,
      signal,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const isLasting = error.kind === 'denied' || error.kind === 'invalid_input';
    const words = `${HOST_KINDS[kind].name}: ${error.message}`;
    throw new CodeHostError(isLasting ? 'unsent' : 'unavailable', words, { cause: error });
  }
}

// A renamed repository is where its host says, as long as that is the same host. A change is repeated once: whatever
// leads on from there is no renaming.
function followerOf(apiUrl: string, method: string): (target: string) => boolean {
  let left = method === 'GET' ? Number.POSITIVE_INFINITY : 1;
  return (target) => {
    left -= 1;
    return left >= 0 && isWithin(apiUrl, target);
  };
}

function urlOf({ kind, apiUrl, names }: HostAddress, { path, query = {} }: HostRequest): string {
  const url = URL.parse(`${apiUrl}${HOST_KINDS[kind].repositoryPath(names)}${path}`);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url?.searchParams.set(key, String(value));
  if (url !== null && isWithin(apiUrl, url.href)) return url.href;
  throw new CodeHostError('unsent', 'The address of the repository cannot be asked for');
}

function headersOf({ kind, token }: HostAddress, { etag, body }: HostRequest): Record<string, string> {
  const { headers, authorization } = HOST_KINDS[kind];
  return {
    ...headers,
    ...(token !== undefined && { Authorization: authorization(token) }),
    ...(etag !== undefined && { 'If-None-Match': etag }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
}

function toAnswer({ kind, token }: HostAddress, { maxBytes }: HostRequest, response: GuardedResponse): HostAnswer {
  const { status, headers, body, isTruncated } = response;
  const { name } = HOST_KINDS[kind];
  if (status >= 300 && status !== 304) throw errorOf(response, name, token !== undefined);
  if (isTruncated) throw new CodeHostError('too_large', `An answer of ${name} is larger than ${maxBytes} bytes`);
  const etag = headers.get('etag');
  return {
    status,
    headers,
    body: body.toString(),
    etag: etag !== undefined && etag.length <= MAX_ETAG ? etag : undefined,
    hasNext: headers.get('link')?.includes('rel="next"') === true || (headers.get('x-next-page') ?? '') !== '',
    pauseMs: pauseMs(response, Date.now()),
  };
}

// GitHub sometimes announces its secondary limits in words alone, and asks for a minute then. These words are its own:
// nobody else's text is in such a refusal.
function secondaryLimitMs({ status, body }: GuardedResponse): number | undefined {
  return status === 403 && SECONDARY_LIMIT.test(body.subarray(0, 4_096).toString()) ? DEFAULT_WAIT_MS : undefined;
}

function errorOf(response: GuardedResponse, name: string, hasCredentials: boolean): CodeHostError {
  const { status } = response;
  const waitMs = askedWaitMs(response, Date.now()) ?? secondaryLimitMs(response);
  if (waitMs !== undefined)
    return new CodeHostError('rate_limited', `${name} asks to wait before the next request (status ${status})`, {
      status,
      waitMs,
    });
  const fail = (kind: CodeHostError['kind'], words: string) =>
    new CodeHostError(kind, `${name} ${words} (status ${status})`, { status });
  if (status === 401)
    return fail('unauthorized', hasCredentials ? 'has rejected the credentials' : 'asks for credentials');
  if (status === 403)
    return fail('forbidden', hasCredentials ? 'does not let these credentials do it' : 'requires credentials for this');
  if (status === 404) return fail('not_found', 'has no such repository that may be seen with these credentials');
  if (status === 410) return fail('refused', 'does not have it any more, or it is turned off for the repository');
  if (status < 400) return fail('not_found', 'redirects to another address; credentials are not sent there');
  if (status === 408 || status >= 500) return fail('unavailable', 'had an internal error');
  return fail('refused', 'has refused the request');
}

/** Why a code host has refused a request. */
export type HostErrorKind =
  /** It has rejected the credentials. */
  | 'unauthorized'
  /** The credentials, or nobody without any, may not do it. */
  | 'forbidden'
  /** There is no such repository, or nothing of it that may be seen. */
  | 'not_found'
  /** It asks to wait before the next request. */
  | 'rate_limited'
  /** It cannot be reached, or had an internal error: the same request may succeed later. */
  | 'unavailable'
  /** The answer is larger than asked for. */
  | 'too_large'
  /** The answer is not the one of such a host. */
  | 'unexpected'
  /** It refuses the request for another reason. */
  | 'refused'
  /** Nothing could be sent. */
  | 'unsent';

/** A failure of a code host. The message is for people, and quotes nothing that the host has sent. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError';
  readonly kind: HostErrorKind;
  readonly status: number | undefined;
  /** How long the host asks to wait; undefined unless it is `rate_limited`. */
  readonly waitMs: number | undefined;

  constructor(
    kind: HostErrorKind,
    message: string,
    options: ErrorOptions & { readonly status?: number; readonly waitMs?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.status = options.status;
    this.waitMs = options.waitMs;
  }

  /** Whether other credentials might help. */
  get isOfCredentials(): boolean {
    return this.kind === 'unauthorized' || this.kind === 'forbidden';
  }
}

/** How requests to a kind of code hosts differ from those to others. */
interface HostKind {
  readonly name: string;
  /** The address of the API for a repository at this origin, for those that are read without an integration. */
  readonly apiUrlAt: (origin: string) => string;
  /** The path below the address of the API that everything of a repository is under. */
  readonly repositoryPath: (names: readonly string[]) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: (token: string) => string;
}

const GITHUB_COM: ReadonlySet<string> = new Set(['https://github.com', 'https://www.github.com']);

/** The kinds of code hosts whose API is spoken. */
export const HOST_KINDS: Readonly<Record<CodeHostKind, HostKind>> = {
  github: {
    name: 'GitHub',
    apiUrlAt: (origin) => (GITHUB_COM.has(origin) ? apiUrlOf({ kind: 'github', baseUrl: null }) : `${origin}/api/v3`),
    repositoryPath: ownerAndName,
    headers: { Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' },
    authorization: (token) => `Bearer ${token}`,
  },
  gitlab: {
    name: 'GitLab',
    apiUrlAt: (origin) => apiUrlOf({ kind: 'gitlab', baseUrl: origin }),
    repositoryPath: (names) => `/projects/${names.map(encodeURIComponent).join('%2F')}`,
    headers: { Accept: 'application/json' },
    authorization: (token) => `Bearer ${token}`,
  },
  gitea: {
    name: 'Gitea',
    apiUrlAt: (origin) => apiUrlOf({ kind: 'gitea', baseUrl: origin }),
    repositoryPath: ownerAndName,
    headers: { Accept: 'application/json' },
    authorization: (token) => `token ${token}`,
  },
};

// The address may continue after the two names, to a branch or a list of issues.
function ownerAndName([owner = '', name = '']: readonly string[]): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
