import type { IntegrationKind } from '../integration-kind.ts';
import { AUTHORITY } from './sign-in-fields.ts';

/** What applications run on, and services that watch over them. */
export const OPERATIONS = {
  kubernetes: {
    name: 'Kubernetes',
    description:
      'A Kubernetes cluster (`kubernetes`); `base_url` is the address of its API server, such as `https://host:6443`.',
    baseUrl: null,
    schemes: ['https'],
    apiPath: '',
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
    ],
    authorization: [],
    headers: { Accept: 'application/json' },
    secretPlaces: [],
    test: 'sign_in',
  },
  sentry: {
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
    authorization: [{ in: 'header', field: 'token' }],
    headers: { Accept: 'application/json' },
    secretPlaces: ['header'],
    test: { path: '/' },
  },
} as const satisfies Readonly<Record<string, IntegrationKind>>;
