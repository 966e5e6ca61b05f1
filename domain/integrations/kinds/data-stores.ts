import type { CredentialField, IntegrationKind } from '../integration-kind.ts';
import { ALLOWS_WRITES, AUTHORITY, ENCRYPTION } from './sign-in-fields.ts';

const SQL_FIELDS: readonly CredentialField[] = [
  {
    name: 'user',
    description: 'A user with the rights that agents are to have; none of an administrator.',
    format: 'text',
    isPlain: true,
  },
  { name: 'password', description: 'Its password.', format: 'text' },
  AUTHORITY,
];
const SQL = {
  baseUrl: null,
  apiPath: '',
  fields: SQL_FIELDS,
  settings: [ALLOWS_WRITES, ENCRYPTION],
  authorization: [],
  secretPlaces: [],
  test: 'sign_in',
} as const;

/** Databases and other stores of data. */
export const DATA_STORES = {
  postgres: {
    ...SQL,
    name: 'PostgreSQL',
    description: 'A PostgreSQL database (`database`): `postgres://host:5432/name`.',
    schemes: ['postgres'],
  },
  mysql: {
    ...SQL,
    name: 'MySQL',
    description: 'A MySQL or MariaDB database (`database`): `mysql://host:3306/name`.',
    schemes: ['mysql'],
  },
  redis: {
    ...SQL,
    name: 'Redis',
    description:
      'A Redis or Valkey server (`redis`): `rediss://host:6379/0`, or `redis://host:6379/0` where nothing is encrypted.',
    schemes: ['redis', 'rediss'],
    fields: [
      { name: 'user', description: 'A user that the server knows.', isOptional: true, format: 'text', isPlain: true },
      { name: 'password', description: 'The password of the user or the server.', isOptional: true, format: 'text' },
      AUTHORITY,
    ],
    settings: [ALLOWS_WRITES],
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
