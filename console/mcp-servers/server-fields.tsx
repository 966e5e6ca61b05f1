import type { ReactNode } from 'react';
import { useCan } from '../core/permissions.ts';
import { useText } from '../core/text/text-context.tsx';
import { Field } from '../ui/controls/field.tsx';
import { JsonField } from '../ui/editor/json-field.tsx';
import { SelectField } from '../ui/fields/select-field.tsx';
import { SwitchField } from '../ui/fields/toggle-fields.tsx';
import { TextAreaField } from '../ui/fields/text-area-field.tsx';
import type { EditedRecord } from '../ui/form/use-record.ts';
import classes from './mcp-servers.module.css';
import type { ServerValues } from './server-values.ts';
import { useServersText } from './text.ts';

const AUTH_TYPES = ['none', 'bearer', 'header', 'oauth'] as const;
const GRANTS = ['client_credentials', 'authorization_code'] as const;

interface ServerFieldsProps {
  readonly record: EditedRecord<ServerValues>;
  /** Whether a secret is stored already. */
  readonly hasSecret: boolean;
}

/** The fields of an MCP server. */
export function ServerFields({ record, hasSecret }: ServerFieldsProps): ReactNode {
  const [text, common] = [useServersText(), useText().common];
  const mayTrust = useCan('settings.manage');
  const { field, values } = record;
  const { auth_type: type } = values;
  return (
    <div className={classes.fields}>
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
      <JsonField label={text.config} hint={text.configHint} {...field('config')} />
    </div>
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
