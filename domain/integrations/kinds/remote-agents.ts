import type { IntegrationKind } from '../integration-kind.ts';

/** Agents of other platforms. */
export const REMOTE_AGENTS = {
  a2a: {
    name: 'A2A agent',
    description:
      'An agent of another platform that speaks Agent2Agent (`agent_spawn`); `base_url` is the address of its card, such as `https://agents.example.com/.well-known/agent-card.json`.',
    baseUrl: null,
    apiPath: '',
    fields: [
      { name: 'token', description: 'A token that requests carry as `Authorization: Bearer`.', isOptional: true },
      {
        name: 'api_key',
        description: 'Instead of a token: a key that requests carry as `X-API-Key`.',
        isOptional: true,
      },
    ],
    alternatives: [['token'], ['api_key'], []],
    settings: [
      {
        name: 'description',
        description: 'What it does, for agents that may give it work. What its card says is not told to them.',
        isOptional: true,
      },
    ],
    authorization: [
      { in: 'header', field: 'token' },
      { in: 'header', field: 'api_key', name: 'X-API-Key', prefix: '' },
      { in: 'nothing' },
    ],
    secretPlaces: [],
    test: 'sign_in',
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
