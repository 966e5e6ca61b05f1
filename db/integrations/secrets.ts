import type { Secrets } from '../../domain/integrations/index.ts';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/index.ts';

/** Encrypts the secrets of integrations. */
export const integrationSecrets = new SecretColumn('integrations');

/** Returns the decrypted secrets of an integration. Only for the activity that sends them to its service. */
export function openSecrets(box: SecretBox, row: SealedRow & { readonly credentials: Buffer }): Secrets {
  return JSON.parse(integrationSecrets.open(box, row, row.credentials)) as Secrets;
}

/** Encrypts the secrets of an integration for its row. */
export function sealSecrets(box: SecretBox, row: SealedRow, secrets: Secrets): Buffer {
  return integrationSecrets.seal(box, row, JSON.stringify(secrets));
}
