import { createHmac } from 'node:crypto';

/**
 * Returns the value of `X-Everturn-Signature`: the time, and the digest of time and body by each secret. It is the form
 * that the webhooks of workflows take.
 */
export function signatureOf(secrets: readonly string[], body: string, now: number): string {
  const time = Math.floor(now / 1_000);
  const digests = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
  return [`t=${time}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
}
