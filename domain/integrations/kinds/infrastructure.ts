import type { IntegrationKind } from '../integration-kind.ts';
import { AUTHORITY } from './sign-in-fields.ts';

/** What applications run on, and where they keep their files. */
export const INFRASTRUCTURE = {
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
        description: 'The bucket of calls that name none. A test looks into it, and at the list of buckets otherwise.',
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
} as const satisfies Readonly<Record<string, IntegrationKind>>;
