import type { CredentialField, IntegrationKind } from '../integration-kind.ts';
import { AUTHORITY, ENCRYPTION } from './sign-in-fields.ts';

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
