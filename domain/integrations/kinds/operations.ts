import type { IntegrationKind } from '../integration-kind.ts';
import { AUTHORITY, JSON_API } from './sign-in-fields.ts';

/** Infrastructure, and services that monitor it. */
export const OPERATIONS = {
  kubernetes: {
    ...JSON_API,
    name: 'Kubernetes',
    description:
      'A Kubernetes cluster (`kubernetes`); `base_url` is the address of its API server, such as `https://host:6443`.',
    baseUrl: null,
    schemes: ['https'],
    fields: [
      {
        name: 'token',
        description: 'The token of a service account with the roles that agents are to have; none of an administrator.',
        isOptional: true,
      },
      AUTHORITY,
      {
        name: 'client_certificate',
        description: 'Instead of a token: a client certificate, in PEM.',
        isOptional: true,
        format: 'document',
        isPlain: true,
      },
      {
        name: 'client_key',
        description: 'The key of the client certificate, in PEM.',
        isOptional: true,
        format: 'document',
      },
      {
        name: 'kubeconfig',
        description:
          'Instead of all these: a kubeconfig with the certificates and the token in it. Programs (`exec`), plugins and paths of files are refused.',
        isOptional: true,
        format: 'kubeconfig',
      },
    ],
    alternatives: [['token'], ['client_certificate', 'client_key'], ['kubeconfig']],
    settings: [
      {
        name: 'context',
        description: 'With a kubeconfig: the only context that is used. Calls choose one otherwise.',
        isOptional: true,
      },
      {
        name: 'namespace',
        description: 'The namespace of calls that name none; that of the context, or `default`, unless given.',
        isOptional: true,
      },
      {
        name: 'allow_cluster_changes',
        description:
          'Whether agents may apply and delete what rules other objects: roles, webhooks, nodes, charts. `no` unless given.',
        isOptional: true,
        values: ['yes', 'no'],
      },
    ],
    authorization: [],
    secretPlaces: [],
    test: 'sign_in',
  },
  pagerduty: {
    ...JSON_API,
    name: 'PagerDuty',
    description:
      'Incidents, and who is on call (`pagerduty`). For accounts in the EU name `https://api.eu.pagerduty.com`.',
    baseUrl: 'https://api.pagerduty.com',
    siblings: {
      events: {
        'https://api.pagerduty.com': 'https://events.pagerduty.com',
        'https://api.eu.pagerduty.com': 'https://events.eu.pagerduty.com',
      },
    },
    fields: [
      {
        name: 'api_key',
        description: 'A REST API key, to read incidents and who is on call; to change them, one with write access.',
        isOptional: true,
      },
      {
        name: 'routing_key',
        description: 'The integration key of a service (Events API v2), with which incidents are triggered there.',
        isOptional: true,
      },
    ],
    alternatives: [['api_key'], ['routing_key']],
    combinable: ['api_key', 'routing_key'],
    settings: [
      {
        name: 'from',
        description:
          'The mail address of the user in whose name incidents are changed, which keys of a whole account require.',
        isOptional: true,
      },
    ],
    authorization: [{ in: 'header', field: 'api_key', prefix: 'Token token=' }],
    headers: { Accept: 'application/vnd.pagerduty+json;version=2' },
    test: { path: '/abilities' },
  },
  prometheus: {
    ...JSON_API,
    name: 'Prometheus',
    description:
      'Metrics of a Prometheus server, or of another one that speaks its API, such as Thanos, Mimir and VictoriaMetrics (`prometheus_query`).',
    baseUrl: null,
    apiPath: '/api/v1',
    fields: [
      { name: 'token', description: 'A bearer token, where the server or a proxy wants one.', isOptional: true },
      {
        name: 'user',
        description: 'A user name, where the server wants one with a password.',
        isOptional: true,
        isPlain: true,
        format: 'text',
      },
      { name: 'password', description: 'The password of the user.', isOptional: true, format: 'text' },
    ],
    alternatives: [[], ['token'], ['user', 'password']],
    authorization: [
      { in: 'header', field: 'token' },
      { in: 'basic', user: 'user', password: 'password' },
      { in: 'nothing' },
    ],
    test: { path: '/query', query: { query: 'vector(1)' }, textAt: ['data', 'resultType'] },
  },
  sentry: {
    ...JSON_API,
    name: 'Sentry',
    description: 'Errors of applications on sentry.io or a Sentry server of your own (`sentry`).',
    baseUrl: 'https://sentry.io',
    apiPath: '/api/0',
    fields: [
      {
        name: 'token',
        description:
          'An auth token with the scopes `event:read`, `project:read` and, to resolve errors, `event:write`.',
      },
    ],
    settings: [{ name: 'organization', description: 'The slug of the organization, as in its address.' }],
    test: { path: '/' },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
