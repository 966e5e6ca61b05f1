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
    path: { pattern: /^\d{0,5}$/, issue: 'must end with the number of a database, or the host' },
    fields: [
      { name: 'user', description: 'A user that the server knows.', isOptional: true, format: 'text', isPlain: true },
      { name: 'password', description: 'The password of the user or the server.', isOptional: true, format: 'text' },
      AUTHORITY,
    ],
    settings: [ALLOWS_WRITES],
  },
  s3: {
    name: 'S3',
    description:
      'Objects in buckets of Amazon S3, or of any other store that speaks S3 (`s3`), whose address is `base_url`.',
    baseUrl: 'https://s3.amazonaws.com',
    apiPath: '',
    fields: [
      {
        name: 'access_key_id',
        description: 'The id of an access key that may do what agents are to do, and no more. It stands in links.',
        isPlain: true,
      },
      { name: 'secret_access_key', description: 'The secret of the access key.' },
    ],
    settings: [
      {
        name: 'region',
        description: 'The region of the buckets, such as `eu-central-1`; `us-east-1` where there is none.',
      },
      {
        name: 'bucket',
        description: 'The bucket of calls that name none. A test reads it or, without one, the list of buckets.',
        isOptional: true,
      },
      {
        name: 'path_style',
        description:
          'Whether buckets stand in the path of addresses rather than in front of the host: `no` at Amazon and `yes` elsewhere unless given.',
        isOptional: true,
        values: ['yes', 'no'],
      },
    ],
    authorization: [],
    secretPlaces: [],
    test: 'sign_in',
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;

const USER: CredentialField = {
  name: 'user',
  description: 'The name that the mailbox signs in with, often its address.',
  format: 'text',
  isPlain: true,
};
const PASSWORD: CredentialField = {
  name: 'password',
  description: 'Its password; where the provider has them, one for applications.',
  format: 'text',
};
const MAIL = { baseUrl: null, apiPath: '', authorization: [], secretPlaces: [], test: 'sign_in' } as const;

/** Servers that send and keep mail. */
export const MAIL_SERVERS = {
  smtp: {
    ...MAIL,
    name: 'SMTP',
    description:
      'A server that sends mail (`email_send`): `smtps://host:465`, or `smtp://host:587`, which is encrypted by STARTTLS.',
    schemes: ['smtps', 'smtp'],
    fields: [{ ...USER, isOptional: true }, { ...PASSWORD, isOptional: true }, AUTHORITY],
    settings: [
      { name: 'from', description: 'The sender of all mails, such as `Agents <agents@example.com>`.' },
      ENCRYPTION,
    ],
  },
  imap: {
    ...MAIL,
    name: 'IMAP',
    description: 'A mailbox (`email_read`): `imaps://host:993`, or `imap://host:143`, which is encrypted by STARTTLS.',
    schemes: ['imaps', 'imap'],
    fields: [USER, PASSWORD, AUTHORITY],
    settings: [ENCRYPTION],
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
