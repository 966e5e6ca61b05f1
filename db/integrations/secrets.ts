import type { Secrets } from '../../domain/integrations/index.ts';
import type { SecretBox } from '../core/index.ts';

interface SealedRow {
  readonly id: string;
  readonly orgId: string;
}

/** Returns the decrypted secrets of an integration. Only for the activity that sends them to its service. */
export function openSecrets(box: SecretBox, row: SealedRow & { readonly credentials: Buffer }): Secrets {
  return JSON.parse(box.open(row.credentials, associatedData(row))) as Secrets;
}

/** Encrypts the secrets of an integration for its row. */
export function sealSecrets(box: SecretBox, row: SealedRow, secrets: Secrets): Buffer {
  return box.seal(JSON.stringify(secrets), associatedData(row));
}

function associatedData({ orgId, id }: SealedRow): string {
  return `integrations/${orgId}/${id}`;
}
