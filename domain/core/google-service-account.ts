import { z } from 'zod';

// `token_uri` and the other addresses in the file are not read: its author must not choose where it is sent.
const fileSchema = z.object({
  type: z.literal('service_account'),
  client_email: z.email().max(320),
  private_key: z
    .string()
    .max(10_000)
    .regex(/^-----BEGIN PRIVATE KEY-----\n[\w+/=\s]+\n-----END PRIVATE KEY-----\s*$/),
  private_key_id: z.string().max(100).optional(),
});

const MAX_FILE_CHARACTERS = 20_000;

/** A service account of Google Cloud: it asks for access tokens with a signature of its private key. */
export interface GoogleServiceAccount {
  readonly clientEmail: string;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
  readonly privateKeyId: string | undefined;
}

/**
 * Returns the service account of a key file as Google's console writes it, as JSON text or its object; undefined when
 * it is none.
 */
export function readGoogleServiceAccount(file: unknown): GoogleServiceAccount | undefined {
  const { data } = fileSchema.safeParse(typeof file === 'string' ? parsed(file) : file);
  if (data === undefined) return undefined;
  return { clientEmail: data.client_email, privateKey: data.private_key, privateKeyId: data.private_key_id };
}

function parsed(text: string): unknown {
  if (text.length > MAX_FILE_CHARACTERS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
