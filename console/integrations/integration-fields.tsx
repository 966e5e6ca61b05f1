import type { ReactNode } from 'react';
import { Field } from '../ui/controls/field.tsx';
import { JsonField } from '../ui/editor/json-field.tsx';
import { SelectField } from '../ui/fields/select-field.tsx';
import { TextAreaField } from '../ui/fields/text-area-field.tsx';
import type { EditedRecord } from '../ui/form/use-record.ts';
import { showInvisible } from '../ui/visible.ts';
import type { IntegrationValues } from './integration-values.ts';
import classes from './integrations.module.css';
import type { IntegrationKind } from './queries.ts';
import { useIntegrationsText } from './text.ts';

interface IntegrationFieldsProps {
  readonly record: EditedRecord<IntegrationValues>;
  readonly kind: IntegrationKind;
  /** The names of the credentials that are stored. */
  readonly stored: readonly string[];
}

/** The fields of an integration, as its kind has them. */
export function IntegrationFields({ record, kind, stored }: IntegrationFieldsProps): ReactNode {
  const text = useIntegrationsText();
  const { field } = record;
  return (
    <div className={classes.fields}>
      <Field label={text.name} hint={text.nameHint} required maxLength={100} {...field('name')} />
      <Field
        label={text.url}
        hint={kind.base_url === null ? undefined : text.urlHint(kind.base_url)}
        required={kind.requires_base_url}
        maxLength={2_000}
        {...field('base_url')}
      />
      <Credentials record={record} kind={kind} stored={stored} />
      {kind.settings.map((setting) => (
        <Setting key={setting.name} record={record} setting={setting} />
      ))}
      {kind.takes_test_request && (
        <JsonField label={text.testRequest} hint={text.testRequestHint} {...field('test_request')} />
      )}
    </div>
  );
}

function Credentials({ record, kind, stored }: IntegrationFieldsProps): ReactNode {
  const text = useIntegrationsText();
  const credentials = record.field('credentials');
  if (kind.takes_own_fields)
    return (
      <JsonField
        label={text.credentials}
        hint={stored.length === 0 ? text.ownCredentials : text.storedOwn(stored.map(showInvisible).join(', '))}
        {...credentials}
      />
    );
  return kind.fields.map(({ name, description, format, is_secret: isSecret, is_optional: isOptional }) => {
    const isLong = format === 'document' || format === 'google_key_file' || format === 'kubeconfig';
    const hint = stored.includes(name) ? text.storedField(description) : description;
    const isRequired = !isOptional && kind.alternatives.length === 0 && stored.length === 0;
    const given = {
      label: name,
      name: `credentials.${name}`,
      hint,
      required: isRequired,
      value: credentials.value[name] ?? '',
      onValueChange: (value: string) => {
        const { [name]: _before, ...rest } = credentials.value;
        credentials.onValueChange(value === '' ? rest : { ...rest, [name]: value });
      },
    };
    if (isLong) return <TextAreaField key={name} {...given} />;
    return <Field key={name} {...given} autoComplete="off" type={isSecret ? 'password' : 'text'} />;
  });
}

interface SettingProps {
  readonly record: EditedRecord<IntegrationValues>;
  readonly setting: IntegrationKind['settings'][number];
}

function Setting({ record, setting }: SettingProps): ReactNode {
  const text = useIntegrationsText();
  const { name, description, values, is_optional: isOptional } = setting;
  const settings = record.field('settings');
  const given = {
    label: name,
    name: `settings.${name}`,
    hint: description,
    value: settings.value[name] ?? '',
    onValueChange: (value: string) => {
      const { [name]: _before, ...rest } = settings.value;
      settings.onValueChange(value === '' ? rest : { ...rest, [name]: value });
    },
  };
  if (values === null) return <Field {...given} required={!isOptional} />;
  const options = values.map((value) => ({ value, label: value }));
  return <SelectField {...given} options={isOptional ? [{ value: '', label: text.notSet }, ...options] : options} />;
}
