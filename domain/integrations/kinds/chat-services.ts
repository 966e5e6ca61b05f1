import type { IntegrationKind } from '../integration-kind.ts';
import { JSON_API } from './sign-in-fields.ts';

/** Services in which teams talk. */
export const CHAT_SERVICES = {
  slack: {
    ...JSON_API,
    name: 'Slack',
    description: 'Channels and messages of a workspace (`slack`).',
    baseUrl: 'https://slack.com',
    apiPath: '/api',
    fields: [
      {
        name: 'token',
        description:
          'The token of a bot (`xoxb-...`), with `chat:write`, `channels:read`, `channels:history`, `users:read`, `reactions:write` and `files:write` as far as agents are to do that.',
      },
    ],
    test: { path: '/auth.test', isOkAt: 'ok', account: ['user'] },
  },
  discord: {
    name: 'Discord',
    description: 'Channels and messages of servers, by a bot or a webhook (`discord`).',
    baseUrl: 'https://discord.com',
    apiPath: '/api/v10',
    fields: [
      { name: 'bot_token', description: 'The token of a bot that is in the server.', isOptional: true },
      {
        name: 'webhook_url',
        description: 'The address of a webhook of a channel, to which the action `webhook` posts.',
        isOptional: true,
        format: 'address',
      },
    ],
    alternatives: [['bot_token'], ['webhook_url']],
    combinable: ['bot_token', 'webhook_url'],
    authorization: [{ in: 'header', field: 'bot_token', prefix: 'Bot ' }],
    // Discord refuses clients that say nothing of this form.
    headers: { Accept: 'application/json', 'User-Agent': 'DiscordBot (Everturn, 1)' },
    secretPlaces: ['header'],
    test: { path: '/users/@me', account: ['username'] },
  },
  telegram: {
    ...JSON_API,
    name: 'Telegram',
    description: 'Chats of a bot (`telegram`).',
    baseUrl: 'https://api.telegram.org',
    fields: [{ name: 'token', description: 'The token that BotFather has given for the bot.' }],
    authorization: [{ in: 'path', field: 'token', prefix: '/bot' }],
    secretPlaces: ['path'],
    test: { path: '/getMe', isOkAt: 'ok', account: ['result', 'username'] },
  },
  ms_teams: {
    ...JSON_API,
    name: 'Microsoft Teams',
    description: 'Channels of teams, by Microsoft Graph or the webhook of a workflow (`ms_teams`).',
    baseUrl: 'https://graph.microsoft.com',
    apiPath: '/v1.0',
    fields: [
      {
        name: 'access_token',
        description: 'An access token for Microsoft Graph. It is good for about an hour, and not renewed.',
        isOptional: true,
      },
      {
        name: 'tenant_id',
        description: 'The id of the directory (tenant) of an app registration in Microsoft Entra.',
        isOptional: true,
        isPlain: true,
      },
      {
        name: 'client_id',
        description:
          'The id of the app, with application permissions such as `Team.ReadBasic.All`. It reads; Microsoft lets no app alone post to channels and chats.',
        isOptional: true,
        isPlain: true,
      },
      { name: 'client_secret', description: 'A client secret of the app.', isOptional: true },
      {
        name: 'webhook_url',
        description:
          'The address of a workflow that posts to a channel or chat when a webhook request is received, to which the action `webhook` posts.',
        isOptional: true,
        format: 'address',
      },
    ],
    alternatives: [['access_token'], ['tenant_id', 'client_id', 'client_secret'], ['webhook_url']],
    combinable: ['webhook_url'],
    authorization: [{ in: 'header', field: 'access_token' }],
    appAccess: {
      tokenUrl: 'https://login.microsoftonline.com/{tenant_id}/oauth2/v2.0/token',
      scope: 'https://graph.microsoft.com/.default',
      fields: ['tenant_id', 'client_id', 'client_secret'],
      tokenField: 'access_token',
    },
    test: { path: '/teams', query: { $top: '1' } },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
