import type { IntegrationKind, KindOAuth } from '../integration-kind.ts';
import { OAUTH_CLIENT } from './sign-in-fields.ts';

const SCOPE = 'https://www.googleapis.com/auth';

/** The common part of all services of Google; they differ in their addresses and scopes. */
const COMMON = {
  fields: [
    ...OAUTH_CLIENT,
    {
      name: 'service_account_json',
      description: 'Instead of a client: the JSON key file of a service account.',
      isOptional: true,
      format: 'google_key_file',
    },
  ],
  alternatives: [['client_id', 'client_secret'], ['service_account_json']],
  settings: [
    {
      name: 'subject',
      description: 'With a service account: the user of the domain in whose name it works (domain-wide delegation).',
      isOptional: true,
    },
  ],
  authorization: [{ in: 'header', field: 'access_token' }],
  headers: { Accept: 'application/json' },
  limitReasons: ['rateLimitExceeded', 'userRateLimitExceeded'],
  secretPlaces: ['header'],
} as const;

function oauth(scopes: KindOAuth['scopes']): KindOAuth {
  return {
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revocationUrl: 'https://oauth2.googleapis.com/revoke',
    // Without them Google gives a token that cannot be renewed, or none but at the first sign-in.
    parameters: { access_type: 'offline', prompt: 'consent' },
    scopes: scopes.map((scope) => ({ ...scope, name: `${SCOPE}/${scope.name}` })),
    clientAuthentication: 'form',
    tokenField: 'access_token',
  };
}

/** Services of Google, each with an address and with scopes of its own. */
export const GOOGLE = {
  gmail: {
    ...COMMON,
    name: 'Gmail',
    description: 'Mail of a Google account (`gmail`).',
    baseUrl: 'https://gmail.googleapis.com',
    apiPath: '/gmail/v1',
    oauth: oauth([
      { name: 'gmail.modify', description: 'Reads, drafts, sends, labels and trashes mail.', isUsual: true },
      { name: 'gmail.readonly', description: 'Reads mail.' },
      { name: 'gmail.compose', description: 'Drafts and sends mail.' },
    ]),
    test: { path: '/users/me/profile', account: ['emailAddress'] },
  },
  google_calendar: {
    ...COMMON,
    name: 'Google Calendar',
    description: 'Calendars of a Google account (`google_calendar`).',
    baseUrl: 'https://www.googleapis.com',
    apiPath: '/calendar/v3',
    oauth: oauth([
      { name: 'calendar.events', description: 'Reads and changes events.', isUsual: true },
      { name: 'calendar.readonly', description: 'Reads calendars, and when people are free.', isUsual: true },
    ]),
    test: { path: '/calendars/primary', account: ['id'] },
  },
  google_drive: {
    ...COMMON,
    name: 'Google Drive',
    description: 'Files of a Google account (`google_drive`).',
    baseUrl: 'https://www.googleapis.com',
    apiPath: '',
    oauth: oauth([
      { name: 'drive', description: 'Reads, changes and shares all files.', isUsual: true },
      { name: 'drive.readonly', description: 'Reads all files.' },
      { name: 'drive.file', description: 'Works with the files only that agents have made.' },
    ]),
    test: { path: '/drive/v3/about', query: { fields: 'user(emailAddress)' }, account: ['user', 'emailAddress'] },
  },
  google_sheets: {
    ...COMMON,
    name: 'Google Sheets',
    description: 'Spreadsheets of a Google account (`google_sheets`).',
    baseUrl: 'https://sheets.googleapis.com',
    apiPath: '/v4',
    oauth: oauth([
      { name: 'spreadsheets', description: 'Reads and changes spreadsheets.', isUsual: true },
      { name: 'spreadsheets.readonly', description: 'Reads spreadsheets.' },
    ]),
    // There is no list to ask for; of a spreadsheet that is not there, only credentials that work learn so.
    test: { path: '/spreadsheets/none', okStatus: 404 },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
