import { z } from 'zod';
import { keptVerbatim } from '../../domain/core/record-names.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { INTEGRATION_KIND_KEYS } from '../../domain/integrations/kinds/index.ts';
import { SECRET_PLACES } from '../../domain/integrations/integration-kind.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, flagParam, pageParams, timestamp } from '../http/fields.ts';

const MAX_FIELDS = 20;
const MAX_CREDENTIAL = 32_768;

const credentials = z
  .record(
    z.string().regex(/^[A-Za-z][\w-]{0,63}$/, 'must be a letter, and up to 63 letters, digits, _ and - after it'),
    text(MAX_CREDENTIAL).min(1),
  )
  .refine((given) => Object.keys(given).length <= MAX_FIELDS, `must contain at most ${MAX_FIELDS} fields`)
  .meta({
    description:
      'The secrets by name, as defined by the kind; for `http` under names of your choice. Stored encrypted and never shown',
    examples: [{ token: 'a-token' }],
  });

const settings = z
  .record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a setting of the kind'), text(500).min(1))
  .refine((given) => Object.keys(given).length <= MAX_FIELDS, `must contain at most ${MAX_FIELDS} settings`)
  .meta({
    description:
      'Settings other than credentials, as defined by the kind. Everybody who may view integrations can read them',
    examples: [{ from: 'agents@example.com' }],
  });

const commandVariables = z
  .record(
    z.string().regex(/^[A-Z_][A-Z0-9_]{0,63}$/, 'must be a capital or _, and up to 63 capitals, digits and _ after it'),
    text(64),
  )
  .refine((given) => Object.keys(given).length <= MAX_FIELDS, `must contain at most ${MAX_FIELDS} variables`)
  .meta({
    description:
      'The environment variables in which shell commands of agents find credentials when they name this integration, each with the name of its credential. A command can send them anywhere',
    examples: [{ TRACKER_TOKEN: 'api_key' }],
  });

const location = z.enum(SECRET_PLACES);
const template = text(2_000);
const testRequest = z
  .strictObject({
    path: text(2_000)
      .regex(/^(?:[/?][!-~]*)?$/, 'must begin with a slash and be printable ASCII without blanks')
      .meta({ description: 'Appended to `base_url`' }),
    headers: z.record(text(200), template).optional(),
    query: z.record(text(200), template).optional(),
  })
  .meta({
    id: 'IntegrationProbe',
    description:
      'A GET request that succeeds when the credentials work. `{{ secret.<field> }}` in its values stands for a credential',
    examples: [{ path: '/me', headers: { Authorization: 'Bearer {{ secret.api_key }}' } }],
  });

const fields = {
  kind: z.enum(INTEGRATION_KIND_KEYS).meta({ description: 'See `GET /api/integrations/kinds`' }),
  name: nameText(100).meta({
    description: 'The name by which custom tools refer to it; unique in the organization, case-insensitive',
  }),
  base_url: text(2_000)
    .min(1)
    .meta({ format: 'uri' })
    .nullable()
    .meta({ description: 'The base address of its requests; null means the public service of the kind' }),
  settings,
  secret_places: z.array(location).max(SECRET_PLACES.length).meta({
    description: 'The parts of a request that custom tools may put credentials into',
  }),
  command_variables: commandVariables,
  test_request: testRequest.nullable().meta({ description: 'How an integration of the kind `http` is tested' }),
};

export const newIntegrationSchema = z
  .strictObject({
    ...fields,
    base_url: fields.base_url.default(null),
    credentials: credentials.default({}),
    settings: settings.default({}),
    secret_places: fields.secret_places.optional().meta({
      description: 'The parts of a request that custom tools may put credentials into; defaults to those of the kind',
    }),
    command_variables: fields.command_variables.default({}),
    test_request: fields.test_request.default(null),
  })
  .meta({
    id: 'IntegrationCreate',
    examples: [
      { kind: 'github', name: 'GitHub', credentials: { token: 'a-token' } },
      { kind: 'gitlab', name: 'Our GitLab', base_url: 'https://gitlab.example.com', credentials: { token: 'a-token' } },
      {
        kind: 'http',
        name: 'Tracker',
        base_url: 'https://tracker.example.com/api',
        credentials: { api_key: 'a-key' },
        secret_places: ['header'],
        test_request: { path: '/me', headers: { 'X-Api-Key': '{{ secret.api_key }}' } },
      },
    ],
  });

export const integrationChangesSchema = z
  .strictObject({ ...fields, credentials })
  .omit({ kind: true })
  .partial()
  .meta({ id: 'IntegrationUpdate', examples: [{ credentials: { token: 'another-token' } }] });

export const integrationSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who added it; null when the account was deleted' }),
    kind: fields.kind,
    name: fields.name,
    base_url: z
      .string()
      .nullable()
      .meta({ description: 'The address as entered; null means the public service of the kind' }),
    api_url: z.string().meta({ description: 'The base address of its requests' }),
    credential_fields: z
      .string()
      .array()
      .meta({ description: 'The names of the stored credentials; their values are never shown' }),
    has_credentials: z.boolean(),
    settings: z.record(z.string(), z.string()).meta({ description: 'Its settings other than credentials' }),
    secret_places: fields.secret_places,
    command_variables: z.record(z.string(), z.string()).meta({
      description: 'The environment variables in which commands find credentials, each with the name of its credential',
    }),
    test_request: keptVerbatim(
      z
        .object({
          path: z.string(),
          headers: z.record(z.string(), z.string()).optional(),
          query: z.record(z.string(), z.string()).optional(),
        })
        .nullable(),
    ),
    status: z.enum(['unchecked', 'working', 'failing']).meta({
      description: 'The result of the last test or use of these credentials',
    }),
    checked_at: timestamp.nullable().meta({ description: 'The time of that result' }),
    signed_in_at: timestamp.nullable().meta({
      description: 'When a person last signed in; null if nobody has yet, or must do so again',
    }),
    used_at: timestamp.nullable().meta({ description: 'When a builtin tool last used it, to the minute' }),
    error: z.string().nullable().meta({ description: 'Why it is failing, human-readable' }),
    account: z
      .string()
      .nullable()
      .meta({ description: 'The account that the credentials belong to, as reported by the service' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Integration',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        kind: 'github',
        name: 'GitHub',
        base_url: null,
        api_url: 'https://api.github.com',
        credential_fields: ['token'],
        has_credentials: true,
        settings: {},
        secret_places: ['header'],
        command_variables: {},
        test_request: null,
        status: 'working',
        signed_in_at: null,
        checked_at: EXAMPLE_TIME,
        used_at: EXAMPLE_TIME,
        error: null,
        account: 'octocat',
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const integrationTestSchema = z
  .object({
    ok: z.boolean(),
    latency_ms: z.int().nullable().meta({ description: 'Milliseconds until the complete response' }),
    account: z.string().nullable().meta({ description: 'The account reported by the service' }),
    error: z.string().nullable().meta({ description: 'What went wrong, in readable words' }),
  })
  .meta({ id: 'IntegrationTest', examples: [{ ok: true, latency_ms: 180, account: 'octocat', error: null }] });

export const integrationKindSchema = z
  .object({
    kind: fields.kind,
    name: z.string(),
    description: z.string(),
    base_url: z.string().nullable().meta({ description: 'The address of the public service' }),
    requires_base_url: z.boolean(),
    schemes: z.string().array().meta({ description: 'The schemes that `base_url` may have' }),
    fields: z
      .object({
        name: z.string(),
        description: z.string(),
        is_optional: z.boolean(),
        format: z.enum(['token', 'text', 'document', 'address', 'google_key_file', 'kubeconfig']).meta({
          description:
            '`token`: ASCII without spaces; `text`: one line; `document`: several lines; `address`: an address that begins with https://; `google_key_file`: the JSON key file of a service account; `kubeconfig`: YAML that describes how to reach a cluster',
        }),
        is_secret: z.boolean().meta({
          description:
            'False for fields that are not secret, such as a user name, although they too are stored encrypted',
        }),
      })
      .array()
      .meta({ description: 'Its credentials; empty when each integration chooses their names' }),
    alternatives: z.string().array().array().meta({
      description: 'Alternative sets of credentials, one of which has to be complete; empty when there is only one way',
    }),
    combinable: z
      .string()
      .array()
      .meta({ description: 'Credentials of these sets that may be combined with another set' }),
    settings: z
      .object({
        name: z.string(),
        description: z.string(),
        is_optional: z.boolean(),
        values: z.string().array().nullable().meta({ description: 'The allowed values; null for any' }),
      })
      .array(),
    oauth: z
      .object({
        redirect_url: z.string().meta({ description: 'The redirect URI to register with the OAuth client' }),
        scopes: z
          .object({
            name: z.string(),
            description: z.string().meta({ description: 'What it allows agents to do' }),
            is_usual: z.boolean().meta({ description: 'Whether it is requested by default' }),
          })
          .array(),
      })
      .nullable()
      .meta({
        description:
          'How a person signs in, if `client_id` and `client_secret` are given; null if the kind has no sign-in',
      }),
    tools: z.string().array().meta({ description: 'The keys of the builtin tools that use it' }),
    takes_own_fields: z
      .boolean()
      .meta({ description: 'Whether each integration chooses the names of its credentials' }),
    secret_places: fields.secret_places,
    takes_test_request: z.boolean().meta({ description: 'Whether each integration defines how it is tested' }),
  })
  .meta({ id: 'IntegrationKindDetails' });

export const integrationsQuery = z.strictObject({
  ...pageParams,
  kind: fields.kind.optional().meta({ description: 'Only those of this kind' }),
});

export const deletionQuery = z.strictObject({
  force: flagParam('Delete it even if tools refer to it; those tools then become unusable'),
});
