import type { CredentialField, IntegrationKind } from '../integration-kind.ts';
import { JSON_API, OAUTH_CLIENT } from './sign-in-fields.ts';

const ATLASSIAN_ACCOUNT: readonly CredentialField[] = [
  { name: 'email', description: 'The e-mail address of the account.', format: 'text', isPlain: true },
  { name: 'api_token', description: 'An API token of the account.' },
];

/** Services in which teams plan their work and write things down. */
export const TEAM_WORK = {
  jira: {
    ...JSON_API,
    name: 'Jira',
    description:
      'Issues of a Jira Cloud site (`jira`); `base_url` is that of the site, such as `https://acme.atlassian.net`.',
    baseUrl: null,
    apiPath: '/rest/api/3',
    fields: ATLASSIAN_ACCOUNT,
    authorization: [{ in: 'basic', user: 'email', password: 'api_token' }],
    test: { path: '/myself', account: ['displayName'] },
  },
  linear: {
    ...JSON_API,
    name: 'Linear',
    description: 'Issues, projects and cycles (`linear`).',
    baseUrl: 'https://api.linear.app',
    fields: [
      { name: 'api_key', description: 'A personal API key (`lin_api_...`) of the workspace.', isOptional: true },
      ...OAUTH_CLIENT,
    ],
    alternatives: [['api_key'], ['client_id', 'client_secret']],
    authorization: [
      { in: 'header', field: 'api_key', prefix: '' },
      { in: 'header', field: 'access_token' },
    ],
    oauth: {
      authorizeUrl: 'https://linear.app/oauth/authorize',
      tokenUrl: 'https://api.linear.app/oauth/token',
      revocationUrl: 'https://api.linear.app/oauth/revoke',
      scopes: [
        { name: 'read', description: 'Reads what the person may.', isUsual: true },
        { name: 'write', description: 'Changes what the person may.', isUsual: true },
        { name: 'issues:create', description: 'Adds issues.' },
        { name: 'comments:create', description: 'Adds comments.' },
      ],
      scopeSeparator: ',',
      clientAuthentication: 'form',
      tokenField: 'access_token',
    },
    test: {
      method: 'POST',
      path: '/graphql',
      body: { query: '{ viewer { name } }' },
      account: ['data', 'viewer', 'name'],
    },
  },
  asana: {
    ...JSON_API,
    name: 'Asana',
    description: 'Tasks, projects and sections (`asana`).',
    baseUrl: 'https://app.asana.com',
    apiPath: '/api/1.0',
    fields: [
      { name: 'token', description: 'A personal access token, or that of a service account.', isOptional: true },
      ...OAUTH_CLIENT,
    ],
    alternatives: [['token'], ['client_id', 'client_secret']],
    oauth: {
      authorizeUrl: 'https://app.asana.com/-/oauth_authorize',
      tokenUrl: 'https://app.asana.com/-/oauth_token',
      revocationUrl: 'https://app.asana.com/-/oauth_revoke',
      scopes: [{ name: 'default', description: 'Reads and changes what the person may.', isUsual: true }],
      clientAuthentication: 'form',
      tokenField: 'token',
    },
    test: { path: '/users/me', account: ['data', 'name'] },
  },
  confluence: {
    ...JSON_API,
    name: 'Confluence',
    description:
      'Pages of a Confluence Cloud site (`confluence`); `base_url` is that of the site, such as `https://acme.atlassian.net`.',
    baseUrl: null,
    apiPath: '/wiki',
    fields: ATLASSIAN_ACCOUNT,
    authorization: [{ in: 'basic', user: 'email', password: 'api_token' }],
    test: { path: '/rest/api/user/current', account: ['displayName'] },
  },
  notion: {
    ...JSON_API,
    name: 'Notion',
    description: 'Pages and databases of a workspace (`notion`).',
    baseUrl: 'https://api.notion.com',
    apiPath: '/v1',
    fields: [
      {
        name: 'token',
        description: 'The token of an internal integration (`ntn_...`). It sees the pages that are shared with it.',
      },
    ],
    headers: { Accept: 'application/json', 'Notion-Version': '2025-09-03' },
    test: { path: '/users/me', account: ['name'] },
  },
  airtable: {
    ...JSON_API,
    name: 'Airtable',
    description: 'Records of bases (`airtable`).',
    baseUrl: 'https://api.airtable.com',
    apiPath: '/v0',
    fields: [
      {
        name: 'token',
        description:
          'A personal access token with `data.records:read`, `schema.bases:read` and, to change records, `data.records:write`.',
        isOptional: true,
      },
      ...OAUTH_CLIENT,
    ],
    alternatives: [['token'], ['client_id', 'client_secret']],
    oauth: {
      authorizeUrl: 'https://airtable.com/oauth2/v1/authorize',
      tokenUrl: 'https://airtable.com/oauth2/v1/token',
      scopes: [
        { name: 'data.records:read', description: 'Reads records.', isUsual: true },
        { name: 'data.records:write', description: 'Adds, changes and deletes records.', isUsual: true },
        { name: 'schema.bases:read', description: 'Reads bases, their tables and fields.', isUsual: true },
      ],
      clientAuthentication: 'basic',
      tokenField: 'token',
    },
    test: { path: '/meta/whoami', account: ['id'] },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;

/** Services that keep customers and payments. */
export const BUSINESS = {
  hubspot: {
    ...JSON_API,
    name: 'HubSpot',
    description: "Contacts, companies, deals and tickets of HubSpot's CRM (`hubspot`).",
    baseUrl: 'https://api.hubapi.com',
    fields: [
      {
        name: 'token',
        description:
          'The access token of a private app (`pat-...`) with the scopes of the records that agents work with.',
      },
    ],
    test: { path: '/account-info/v3/details' },
  },
  stripe: {
    name: 'Stripe',
    description: 'Customers, payments, invoices and subscriptions (`stripe`).',
    baseUrl: 'https://api.stripe.com',
    apiPath: '/v1',
    fields: [
      {
        name: 'api_key',
        description:
          'A restricted key (`rk_...`) that may read customers and what else agents are to see; write rights only for invoices, refunds or payment links.',
      },
    ],
    authorization: [{ in: 'header', field: 'api_key' }],
    headers: { Accept: 'application/json', 'Stripe-Version': '2026-10-28.endive' },
    secretPlaces: ['header'],
    test: { path: '/customers', query: { limit: '1' } },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
