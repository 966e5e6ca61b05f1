import { type SealedRow, type SecretBox, UnreadableSecret, whyUnreadable } from '../../../db/core/index.ts';
import { type Credentials, openCredentials } from '../../../db/providers/index.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';

/**
 * Returns the decrypted credentials of an account. Throws `ProviderFailure` when they cannot be decrypted, with a
 * message that begins with `name` where one is given.
 */
export function readableCredentials(
  box: SecretBox,
  row: SealedRow & { readonly credentials: Buffer | null },
  name = '',
): Credentials {
  try {
    return openCredentials(box, row);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const why = whyUnreadable(box, row.credentials) ?? 'its stored credentials are damaged: enter them again';
    throw new ProviderFailure(`${name} cannot be called: ${why}`.trimStart(), { kind: 'credentials', cause: error });
  }
}
