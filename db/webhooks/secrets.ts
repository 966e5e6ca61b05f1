import type { SecretBox } from '../core/index.ts';
import type { WebhookOwner } from './owner.ts';

/** Encrypts the secret with which an owner's deliveries are signed. */
export function sealSigningSecret(box: SecretBox, owner: WebhookOwner, secret: string): Buffer {
  return box.seal(secret, associated(owner));
}

/** Decrypts the secret with which an owner's deliveries are signed. */
export function openSigningSecret(box: SecretBox, owner: WebhookOwner, sealed: Buffer): string {
  return box.open(sealed, associated(owner));
}

function associated({ orgId, kind, id }: WebhookOwner): string {
  return `webhooks/${orgId}/${kind}/${id}/secret`;
}
