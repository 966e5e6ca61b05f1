import { createHash, createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ReportedError } from './failures/reported-error.ts';
import type { ModelAccount } from './model-adapter.ts';
import { keyHeaders } from './sign-in.ts';
import type { RequestSigner, SentRequest } from './wire-format.ts';

const MAX_HOSTS = 1_000;

/** A server whose clock is further off than this is not believed. */
const MAX_OFFSET_MS = 7 * 24 * 3_600_000;

/** In "... is now earlier than 20260101T001000Z (20260101T001500Z - 5 min.)" the time of the server. */
const SERVER_TIME = /\((\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z [+-] /;

/**
 * Makes the signer of requests to Amazon Bedrock: with the keys of an AWS identity, or with a Bedrock API key. A
 * signature is valid for five minutes, so where the two clocks differ by more it goes by the server's.
 */
export function createAwsSigner(now: () => number): RequestSigner {
  const offsets = new LRUCache<string, number>({ max: MAX_HOSTS });
  return {
    sign: (account, request) => {
      const offset = offsets.get(hostOf(request.url)) ?? 0;
      return headersFor(account, { method: 'POST', ...request }, new Date(now() + offset));
    },
    learn: (error, url) => {
      const serverTime = error.status === 403 ? serverTimeIn(error) : undefined;
      if (serverTime === undefined) return false;
      const offset = serverTime - now();
      if (Math.abs(offset) > MAX_OFFSET_MS) return false;
      offsets.set(hostOf(url), offset);
      return true;
    },
  };
}

/** Returns the headers that sign a request without a body, for an account that AWS takes. */
export function signedGetHeaders(account: ModelAccount, url: string, now: Date): Record<string, string> {
  return headersFor(account, { method: 'GET', url, body: new Uint8Array() }, now);
}

function headersFor(
  account: ModelAccount,
  request: SentRequest & { readonly method: string },
  now: Date,
): Record<string, string> {
  const { signIn } = account;
  if (signIn?.type !== 'aws_keys') return keyHeaders(account);
  return signAwsRequest(request, { keys: signIn, region: signIn.region, service: 'bedrock', now });
}

function serverTimeIn({ message }: ReportedError): number | undefined {
  const found = SERVER_TIME.exec(message);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second] = found;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

/** The keys of an AWS identity; temporary ones have a session token. */
interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface AwsRequest {
  readonly method: string;
  /** As it is sent, so with its path encoded once. */
  readonly url: string;
  /** The exact bytes that are sent. */
  readonly body: string | Uint8Array;
}

interface SigningScope {
  readonly keys: AwsKeys;
  readonly region: string;
  /** The name by which the service knows itself, such as `bedrock`; not S3, whose signatures differ. */
  readonly service: string;
  readonly now: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers that sign a request for AWS (Signature Version 4). They are valid for these bytes and some
 * minutes. The host, the date and what AWS adds are signed: a proxy may change no other header to any effect.
 */
export function signAwsRequest(request: AwsRequest, scope: SigningScope): Record<string, string> {
  const { keys, service, now } = scope;
  const url = new URL(request.url);
  const date = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const added: Record<string, string> = {
    'x-amz-date': date,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const signed = Object.entries({ host: url.host, ...added });
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    canonicalPath(url),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const credentialScope = `${date.slice(0, 8)}/${scope.region}/${service}/aws4_request`;
  const signature = hmac(
    signingKey(credentialScope, keys),
    [ALGORITHM, date, credentialScope, sha256(canonical)].join('\n'),
  ).toString('hex');
  const authorization = `${ALGORITHM} Credential=${keys.accessKeyId}/${credentialScope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...added, authorization };
}

function signingKey(credentialScope: string, { secretAccessKey }: AwsKeys): Buffer {
  return credentialScope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
}

// The path is encoded a second time: a `:` of a model's id, sent as %3A, is signed as %253A.
function canonicalPath({ pathname }: URL): string {
  return pathname.split('/').map(encode).join('/');
}

function canonicalQuery({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => [encode(name), encode(value)] as const);
  return pairs
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map((pair) => pair.join('='))
    .join('&');
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

// RFC 3986 keeps fewer characters as they are than encodeURIComponent does.
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
