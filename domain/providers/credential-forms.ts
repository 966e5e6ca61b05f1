/** One entry of the credentials of an account. */
export interface CredentialEntry {
  readonly name: string;
  /** What it is and where to get it, for people. */
  readonly description: string;
  readonly isOptional?: true;
  /** Its format: ASCII without blanks, the name of a region, or the key file of a service account of Google. */
  readonly format: 'token' | 'region' | 'google_key_file';
  /** Set for what goes along with the secrets and is none. */
  readonly isPlain?: true;
}

/** The entries of credentials that make one way to sign in to a provider. */
export interface CredentialForm {
  readonly key: 'api_key' | 'access_token' | 'aws_keys' | 'service_account';
  /** Its name for people. */
  readonly name: string;
  readonly entries: readonly CredentialEntry[];
}

const API_KEY: CredentialForm = {
  key: 'api_key',
  name: 'API key',
  entries: [{ name: 'api_key', description: 'A key that the provider has issued.', format: 'token' }],
};
const BEDROCK_KEY: CredentialForm = {
  key: 'api_key',
  name: 'API key of Amazon Bedrock',
  entries: [{ name: 'api_key', description: 'A key of Bedrock itself, not one of AWS.', format: 'token' }],
};
const AWS_KEYS: CredentialForm = {
  key: 'aws_keys',
  name: 'Access key of AWS',
  entries: [
    { name: 'access_key_id', description: 'The id of an access key of AWS.', format: 'token', isPlain: true },
    { name: 'secret_access_key', description: 'The secret of the access key.', format: 'token' },
    { name: 'session_token', description: 'The token of temporary keys.', format: 'token', isOptional: true },
    {
      name: 'region',
      description: 'The region, such as eu-west-1, where the address of the server names none.',
      format: 'region',
      isOptional: true,
      isPlain: true,
    },
  ],
};
const ENTRA_TOKEN: CredentialForm = {
  key: 'access_token',
  name: 'Access token of Entra ID',
  entries: [{ name: 'access_token', description: 'It ends after about an hour and is not renewed.', format: 'token' }],
};
const SERVICE_ACCOUNT: CredentialForm = {
  key: 'service_account',
  name: 'Key file of a service account',
  entries: [
    {
      name: 'service_account_json',
      description: 'The JSON key file of a service account of Google.',
      format: 'google_key_file',
    },
  ],
};
const GOOGLE_TOKEN: CredentialForm = {
  key: 'access_token',
  name: 'Access token',
  entries: [
    {
      name: 'access_token',
      description: 'A token of Google. It ends after an hour and is not renewed.',
      format: 'token',
    },
  ],
};

const USUAL: readonly CredentialForm[] = [API_KEY];
const FORMS: ReadonlyMap<string, readonly CredentialForm[]> = new Map([
  ['amazon-bedrock', [BEDROCK_KEY, AWS_KEYS]],
  ['azure', [API_KEY, ENTRA_TOKEN]],
  ['google-vertex', [SERVICE_ACCOUNT, GOOGLE_TOKEN]],
]);

/** Returns the ways to sign in to a provider with credentials, the usual one first. */
export function credentialFormsOf(providerType: string): readonly CredentialForm[] {
  return FORMS.get(providerType) ?? USUAL;
}

/** Returns the ways to sign in that are taken: those that are offered, and what has been taken from of old. */
export function takenFormsOf(providerType: string): readonly CredentialForm[] {
  // Vertex AI's own endpoint accepts no API key: the value of `api_key` is an access token.
  return [...credentialFormsOf(providerType), ...(providerType === 'google-vertex' ? [API_KEY] : [])];
}

/** Returns whether a provider has ways to sign in of its own, in which each entry is known. */
export function hasOwnForms(providerType: string): boolean {
  return FORMS.has(providerType);
}

/** The ways to sign in to a provider. */
export const AUTH_TYPES = ['apikey', 'oauth', 'none'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The providers whose models answer through the vendor's own command-line program. */
export const CLI_PROVIDERS = ['claude-code', 'codex', 'gemini-cli'] as const;

export type CliProvider = (typeof CLI_PROVIDERS)[number];

/** Returns whether accounts of a provider type answer through a command-line program. */
export function isCliProvider(providerType: string): providerType is CliProvider {
  return (CLI_PROVIDERS as readonly string[]).includes(providerType);
}
