import { LRUCache } from 'lru-cache';
import { signAwsRequest } from '../../core/aws-signature.ts';
import type { ReportedError } from '../failures/reported-error.ts';
import type { ModelAccount } from '../model-adapter.ts';
import { keyHeaders } from '../sign-in/key-headers.ts';
import type { RequestSigner, SentRequest } from '../wire-format.ts';

const MAX_HOSTS = 1_000;
/** A server that tells a time further away than this is not believed. */
const MAX_OFFSET_MS = 7 * 24 * 3_600_000;
/** In "... is now earlier than 20260101T001000Z (20260101T001500Z - 5 min.)" the time of the server. */
const SERVER_TIME = /\((\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z [+-] /;

/**
 * Makes the signer of requests to Amazon Bedrock: with the keys of an AWS identity, or with a Bedrock API key. A
 * signature holds for five minutes, so where the two clocks differ by more it goes by the server's.
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
