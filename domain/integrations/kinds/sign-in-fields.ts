import type { CredentialField, SettingField } from '../integration-kind.ts';

/** An API of JSON with a token in the header `Authorization`, which kinds take and then say what differs. */
export const JSON_API = {
  apiPath: '',
  authorization: [{ in: 'header', field: 'token' }],
  headers: { Accept: 'application/json' },
  secretPlaces: ['header'],
} as const;

/** The authority of a server whose certificate no public one has signed. */
export const AUTHORITY: CredentialField = {
  name: 'ca',
  description: "The certificate authority that signs the server's certificate, in PEM, where no public one does.",
  isOptional: true,
  format: 'document',
  isPlain: true,
};

/** Whether a connection is encrypted, where the address does not say so. */
export const ENCRYPTION: SettingField = {
  name: 'tls',
  description: 'Whether the connection is encrypted, and the certificate of the server checked: `on` unless given.',
  isOptional: true,
  values: ['on', 'off'],
};

/** Whether agents may change what is in a store. */
export const ALLOWS_WRITES: SettingField = {
  name: 'allow_writes',
  description: 'Whether agents may change anything there: `no` unless given.',
  isOptional: true,
  values: ['yes', 'no'],
};

/** The OAuth client that an organization has registered with a service, with which people sign in. */
export const OAUTH_CLIENT: readonly CredentialField[] = [
  {
    name: 'client_id',
    description: 'The id of an OAuth client of your own, with which a person then signs in.',
    isOptional: true,
    isPlain: true,
  },
  { name: 'client_secret', description: 'The secret of the OAuth client.', isOptional: true },
];
