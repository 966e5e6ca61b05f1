import type { CredentialField } from './integration-kind.ts';

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
