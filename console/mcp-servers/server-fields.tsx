import type { ReactNode } from 'react';
import { useCan } from '../core/permissions.ts';
import { useText } from '../core/text/text-context.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { EntriesField } from '../ui/entries-field/entries-field.tsx';
import { NumberField, SelectField, SwitchField } from '../ui/fields/fields.tsx';
import { type EditedRecord, plainJson } from '../ui/form/use-record.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { type McpServer, type NewServer, useServerActions } from './queries.ts';
import { useServersText } from './text.ts';

// Not the list of `domain/mcp-servers.ts`, which would add zod to the first page.
const TRANSPORTS = ['auto', 'http', 'sse'] as const satisfies readonly ServerValues['config']['transport'][];

const AUTH_TYPES = ['none', 'bearer', 'header', 'oauth'] as const;
const GRANTS = ['client_credentials', 'authorization_code'] as const;

interface ServerFieldsProps {
  readonly record: EditedRecord<ServerValues>;
  /** Whether a secret is stored already. */
  readonly hasSecret: boolean;
}

/** What the form of a server changes, by the names that the api has for it. */
export interface ServerValues {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly auth_type: McpServer['auth_type'];
  /** Is sent, and never comes back: '' while nothing is entered. */
  readonly auth_value: string;
  readonly trusted: boolean;
  readonly config: NonNullable<NewServer['config']>;
}

/** What a new server begins with. */
export const NEW_SERVER: ServerValues = {
  name: '',
  description: '',
  url: '',
  auth_type: 'none',
  auth_value: '',
  trusted: false,
  config: {},
};

/** How a server is written as JSON. */
export const SERVER_JSON = plainJson<ServerValues>({ secrets: ['auth_value'], free: ['config'] });

/** Returns what the form changes of a stored server. */
export function valuesOf({ name, description, url, auth_type, trusted, config }: McpServer): ServerValues {
  return { name, description: description ?? '', url, auth_type, auth_value: '', trusted, config };
}

/** Returns what is sent of values: without a secret that was not entered. */
export function bodyOf<T extends Partial<ServerValues>>({ auth_value: secret, ...rest }: T) {
  return { ...rest, ...(secret !== undefined && secret !== '' && { auth_value: secret }) };
}

/** Returns whether a person signs in at a server. */
export function isInteractive({ auth_type: type, config }: Pick<McpServer, 'auth_type' | 'config'>): boolean {
  const { oauth } = config as ServerValues['config'];
  return type === 'oauth' && oauth?.grant === 'authorization_code';
}

/** The fields of an MCP server. */
export function ServerFields({ record, hasSecret }: ServerFieldsProps): ReactNode {
  const [text, common] = [useServersText(), useText().common];
  const mayTrust = useCan('settings.manage');
  const { field, values } = record;
  const { auth_type: type } = values;
  return (
    <div className="stack form">
      <Field label={text.name} hint={text.nameHint} required maxLength={200} {...field('name')} />
      <Field label={text.url} hint={text.urlHint} required maxLength={2_000} {...field('url')} />
      <TextAreaField label={text.description} maxLength={5_000} {...field('description')} />
      <SelectField
        label={text.auth}
        options={AUTH_TYPES.map((each) => ({ value: each, label: text.auths[each] }))}
        {...field('auth_type')}
      />
      {type === 'oauth' && <OAuthFields record={record} />}
      {type !== 'none' && (
        <Field
          label={text.secrets[type]}
          hint={hasSecret ? text.secretStored : text.secretHint}
          type="password"
          autoComplete="off"
          {...field('auth_value')}
        />
      )}
      <SwitchField
        label={text.trusted}
        hint={text.trustedHint}
        reason={mayTrust ? undefined : common.noRight('settings.manage')}
        {...field('trusted')}
      />
      <ConnectionFields record={record} />
    </div>
  );
}

/** How the server is spoken to, beside what authorizes it. */
function ConnectionFields({ record }: { readonly record: EditedRecord<ServerValues> }): ReactNode {
  const text = useServersText();
  const { value, onValueChange } = record.field('config');
  const { transport, timeout_seconds: timeout, headers, ...rest } = value;
  const set = (changed: {
    [K in 'transport' | 'timeout_seconds' | 'headers']?: ServerValues['config'][K] | undefined;
  }) => {
    const given = Object.entries({ transport, timeout_seconds: timeout, headers, ...changed });
    onValueChange({ ...rest, ...Object.fromEntries(given.filter(([, each]) => each !== undefined)) });
  };
  return (
    <>
      <SelectField
        label={text.transport}
        name="config.transport"
        options={TRANSPORTS.map((each) => ({ value: each, label: text.transports[each] }))}
        value={transport ?? 'auto'}
        onValueChange={(chosen) => set({ transport: chosen === 'auto' ? undefined : chosen })}
      />
      <NumberField
        label={text.timeout}
        hint={text.timeoutHint}
        name="config.timeout_seconds"
        unit={text.seconds}
        placeholder="60"
        min={1}
        max={600}
        value={timeout ?? null}
        onValueChange={(seconds) => set({ timeout_seconds: seconds ?? undefined })}
      />
      <EntriesField
        label={text.headers}
        hint={text.headersHint}
        name="config.headers"
        value={headers ?? {}}
        onValueChange={(given) => set({ headers: Object.keys(given).length === 0 ? undefined : given })}
      />
    </>
  );
}

function OAuthFields({ record }: { readonly record: EditedRecord<ServerValues> }): ReactNode {
  const text = useServersText();
  const config = record.field('config');
  const { oauth = {} } = config.value;
  const set = (name: 'grant' | 'client_id' | 'issuer' | 'scope', value: string) => {
    const { [name]: _before, ...rest } = oauth;
    config.onValueChange({ ...config.value, oauth: value === '' ? rest : { ...rest, [name]: value } });
  };
  return (
    <>
      <SelectField
        label={text.grant}
        name="config.oauth.grant"
        options={GRANTS.map((each) => ({ value: each, label: text.grants[each] }))}
        value={oauth.grant ?? 'client_credentials'}
        onValueChange={(grant) => set('grant', grant)}
      />
      {(['client_id', 'issuer', 'scope'] as const).map((name) => (
        <Field
          key={name}
          label={text.oauth[name]}
          name={`config.oauth.${name}`}
          value={oauth[name] ?? ''}
          onValueChange={(value) => set(name, value)}
        />
      ))}
    </>
  );
}

interface NewServerFormProps {
  readonly draftKey: string;
  /** What it begins with. */
  readonly begun: ServerValues;
}

/** Adds an MCP server, and shows it. */
export function NewServerForm({ draftKey, begun }: NewServerFormProps): ReactNode {
  const text = useServersText();
  const [actions, show] = [useServerActions(), useShowAdded('/o/$orgId/mcp-servers/$serverId')];
  return (
    <RecordForm
      draftKey={draftKey}
      stored={begun}
      isNew
      secrets={['url', 'auth_value']}
      json={SERVER_JSON}
      submitLabel={text.create}
      onSubmit={async ({ values }) => show(await actions.add(bodyOf(values)))}
    >
      {(record) => <ServerFields record={record} hasSecret={false} />}
    </RecordForm>
  );
}
