import { type SecretBox, SecretColumn } from '../../../db/core/index.ts';

const column = new SecretColumn('integration_sign_ins', 'consent');

/** The sign-in that a person agrees to. */
interface AskedSignIn {
  readonly orgId: string;
  readonly state: string;
}

/**
 * Returns what the page that asks a person carries in its form: the code, encrypted for this very sign-in. Nobody can
 * make a form of their own with it who has not been shown the page.
 */
export function sealConsent(box: SecretBox, { orgId, state }: AskedSignIn, code: string): string {
  return column.seal(box, { orgId, id: state }, code).toString('base64url');
}

/** Returns the code that a form carries; undefined when it is not one of our page for this sign-in. */
export function openConsent(box: SecretBox, { orgId, state }: AskedSignIn, consent: string): string | undefined {
  try {
    return column.open(box, { orgId, id: state }, Buffer.from(consent, 'base64url'));
  } catch {
    return undefined;
  }
}
