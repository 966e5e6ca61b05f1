import { createHmac, randomBytes } from 'node:crypto';
import type { CodeHostKind } from '../../domain/projects.ts';
import { isSame } from '../access/bearer.ts';
import type { Delivery } from '../http/define-route.ts';
import { signingKeyOf } from './webhook-secret.ts';

/** How old a delivery may be whose signature tells its time. */
const MAX_AGE_SECONDS = 300;
const SIGNATURES: Readonly<Record<CodeHostKind, readonly string[]>> = {
  github: ['x-hub-signature-256'],
  gitlab: ['x-gitlab-token', 'webhook-signature'],
  gitea: ['x-gitea-signature', 'x-forgejo-signature'],
};

/** Returns whether a delivery was signed with the secret, in the way of its host. Takes as long for a wrong one. */
export function isSigned(kind: CodeHostKind, delivery: Delivery, secret: string): boolean {
  if (kind === 'gitlab') return hasToken(delivery, secret) || isSignedByGitlab(delivery, secret);
  const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
  if (kind === 'github') return isSame(delivery.header('x-hub-signature-256') ?? '', `sha256=${expected}`);
  return isSame(delivery.header('x-gitea-signature') ?? delivery.header('x-forgejo-signature') ?? '', expected);
}

/** Returns whether a delivery brings what its host signs with, good or not. */
export function bringsSignature(kind: CodeHostKind, { header }: Pick<Delivery, 'header'>): boolean {
  return SIGNATURES[kind].some((name) => (header(name) ?? '') !== '');
}

/** Returns the id under which a host would send the same delivery again; undefined when it names none. */
export function deliveryIdOf(kind: CodeHostKind, { header }: Delivery): string | undefined {
  if (kind === 'github') return header('x-github-delivery');
  if (kind === 'gitea') return header('x-gitea-delivery') ?? header('x-forgejo-delivery');
  return header('webhook-id') ?? header('idempotency-key') ?? header('x-gitlab-event-uuid');
}

/** Returns whether a host signs nothing but the body, so that a recorded delivery may come again under another id. */
export function signsBodyOnly(kind: CodeHostKind): boolean {
  return kind !== 'gitlab';
}

/** Returns the name of the event that a host tells of. */
export function eventOf(kind: CodeHostKind, { header }: Delivery): string {
  const names = { github: 'x-github-event', gitlab: 'x-gitlab-event', gitea: 'x-gitea-event' } as const;
  return header(names[kind]) ?? '';
}

function hasToken({ header }: Delivery, secret: string): boolean {
  const token = header('x-gitlab-token');
  return token !== undefined && isSame(token, secret);
}

// By the Standard Webhooks specification: https://www.standardwebhooks.com
function isSignedByGitlab({ header, body }: Delivery, secret: string): boolean {
  const [id, time] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? ''];
  // A secret without a usable key signs nothing.
  const key = signingKeyOf(secret) ?? randomBytes(32);
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
  const isRecent = Math.abs(Date.now() / 1_000 - Number(time)) <= MAX_AGE_SECONDS;
  const signatures = (header('webhook-signature') ?? '').split(' ').slice(0, 10);
  return signatures.filter((signature) => isSame(signature, `v1,${expected}`)).length > 0 && isRecent;
}
