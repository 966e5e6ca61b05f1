import type { SecretBox } from '../core/index.ts';

/** The row that a secret belongs to. */
interface Row {
  readonly orgId: string;
  readonly id: string;
}

/** Encrypts the secret of a workflow's webhook for its row. */
export function sealWebhookSecret(box: SecretBox, row: Row, secret: string): Buffer {
  return box.seal(secret, associated(row));
}

/** Decrypts the secret of a workflow's webhook. */
export function openWebhookSecret(box: SecretBox, row: Row, sealed: Buffer): string {
  return box.open(sealed, associated(row));
}

function associated({ orgId, id }: Row): string {
  return `agent-workflows/${orgId}/${id}/webhook-secret`;
}
