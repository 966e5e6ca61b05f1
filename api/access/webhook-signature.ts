import { createHmac, timingSafeEqual } from 'node:crypto';

/** The difference of clocks between sender and receiver that a signature survives. */
const TOLERANCE_SECONDS = 300;

/**
 * The headers in which a webhook is signed, both with the same key. A signature of one form is never one of the other:
 * bodies are JSON objects, and are checked to be before a signature is compared. What is signed in our form begins with
 * digits and a dot, as no JSON object does.
 */
export interface SignatureHeaders {
  /** `X-Everturn-Signature`: the time and the digest of time and body, `t=<unix seconds>,v1=<hex>`. */
  readonly own: string | undefined;
  /** `X-Hub-Signature-256`, as GitHub sends it: the digest of the body, `sha256=<hex>`. */
  readonly hub: string | undefined;
}

/**
 * Returns what is wrong with the signature of a request before its body is known; `undefined` when it can be checked
 * with the body.
 */
export function headerIssue({ own, hub }: SignatureHeaders, now = Date.now()): string | undefined {
  if (own === undefined)
    return hub === undefined ? 'The request is not signed: X-Everturn-Signature is missing' : undefined;
  const { time, digests } = partsOf(own);
  if (time === undefined || digests.length === 0)
    return 'X-Everturn-Signature must be written as t=<unix seconds>,v1=<hex digest>';
  if (Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS)
    return 'The signature is more than five minutes off; sign the request again, and check your clock';
  return undefined;
}

/** Returns the signature of a request, however it is written; `undefined` when none of those it has fits its body. */
export function signatureOf(secret: string, { own, hub }: SignatureHeaders, body: Uint8Array): Buffer | undefined {
  const { time = '', digests } = own === undefined ? ofHub(hub) : partsOf(own);
  const expected = digestOf(secret, own === undefined ? [body] : [`${time}.`, body]);
  return digests.some((digest) => isDigest(digest, expected)) ? expected : undefined;
}

function ofHub(header = ''): ReturnType<typeof partsOf> {
  return { time: undefined, digests: [header.replace(/^sha256=/, '')] };
}

/** The most digests that one header may have, for a secret that is being replaced. */
const MAX_DIGESTS = 4;

function partsOf(header: string): { readonly time: string | undefined; readonly digests: readonly string[] } {
  const parts = header.split(',', MAX_DIGESTS + 1).map((part) => part.trim());
  const time = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2);
  return { time, digests: parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3)) };
}

function digestOf(secret: string, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

function isDigest(hex: string, expected: Buffer): boolean {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
