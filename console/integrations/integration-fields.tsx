import { type ReactNode, useState } from 'react';
import { useCan } from '../core/permissions.ts';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { EntriesField } from '../ui/entries-field/entries-field.tsx';
import { MultiChoiceField, SelectField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import type { EditedRecord, RecordField } from '../ui/form/use-record.ts';
import { InlineCode } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { bodyOf, fieldsOf, INTEGRATION_JSON, type IntegrationValues, labelOf, waysOf } from './integration-values.ts';
import { type IntegrationKind, useIntegrationActions } from './queries.ts';
import { useIntegrationsText } from './text.ts';

interface IntegrationFieldsProps {
  readonly record: EditedRecord<IntegrationValues>;
  readonly kind: IntegrationKind;
  /** The names of the credentials that are stored. */
  readonly stored: readonly string[];
  /** Whether it is being added: what few need is asked for later. */
  readonly isNew?: boolean;
}

/** The fields of an integration, as its kind has them. */
export function IntegrationFields({ record, kind, stored, isNew = false }: IntegrationFieldsProps): ReactNode {
  const text = useIntegrationsText();
  const { field } = record;
  return (
    <div className="stack form">
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
      {!isNew && <SecretLocations record={record} kind={kind} />}
      {kind.takes_test_request && <TestRequest {...field('test_request')} />}
    </div>
  );
}

function Credentials({ record, kind, stored }: Omit<IntegrationFieldsProps, 'isNew'>): ReactNode {
  const text = useIntegrationsText();
  const credentials = record.field('credentials');
  const [ways, way, setWay] = useWays(kind, stored, Object.keys(credentials.value));
  if (kind.takes_own_fields)
    return (
      <EntriesField
        label={text.credentials}
        isSecret
        hint={stored.length === 0 ? text.ownCredentials : text.storedOwn(stored.map(showInvisible).join(', '))}
        {...credentials}
      />
    );
  const choose = (chosen: string) => {
    setWay(chosen);
    const names = fieldsOf(kind, ways[Number(chosen)] ?? []).map(({ name }) => name);
    // What belongs to another way is not sent along.
    credentials.onValueChange(
      Object.fromEntries(Object.entries(credentials.value).filter(([name]) => names.includes(name))),
    );
  };
  const chosen = ways[Number(way)] ?? [];
  return (
    <>
      {ways.length > 1 && (
        <SelectField
          label={text.way}
          name="credentials"
          options={ways.map((names, at) => ({
            value: String(at),
            label: names.length === 0 ? text.noWay : names.map(labelOf).join(' + '),
          }))}
          value={way}
          onValueChange={choose}
        />
      )}
      {stored.length > 0 && (
        <p className="soft wrap-anywhere">{kind.fields.length > 1 ? text.storedAll : text.storedOne}</p>
      )}
      {fieldsOf(kind, chosen).map((field) => (
        <CredentialField
          key={field.name}
          field={field}
          isRequired={stored.length === 0 && (!field.is_optional || chosen.includes(field.name))}
          isStored={stored.includes(field.name)}
          value={credentials.value[field.name] ?? ''}
          onValueChange={(value) => {
            const { [field.name]: _before, ...rest } = credentials.value;
            credentials.onValueChange(value === '' ? rest : { ...rest, [field.name]: value });
          }}
        />
      ))}
    </>
  );
}

/** Returns the sets of credentials of which one is chosen, the place of the chosen one, and what chooses another. */
function useWays(kind: IntegrationKind, stored: readonly string[], typed: readonly string[]) {
  const ways = waysOf(kind);
  const typedAt = ways.findIndex((names) => names.some((name) => typed.includes(name)));
  const storedAt = ways.findIndex((names) => names.length > 0 && names.every((name) => stored.includes(name)));
  const begun = typedAt >= 0 ? typedAt : storedAt;
  const [way, setWay] = useState(() => {
    const nothing = ways.findIndex((names) => names.length === 0);
    // What is stored says which; without the first of them, none is.
    const usual = stored.length > 0 && nothing >= 0 ? nothing : 0;
    return String(begun >= 0 ? begun : usual);
  });
  return [ways, way, setWay] as const;
}

interface CredentialFieldProps {
  readonly field: IntegrationKind['fields'][number];
  readonly isRequired: boolean;
  readonly isStored: boolean;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
}

function CredentialField({ field, isRequired, isStored, value, onValueChange }: CredentialFieldProps): ReactNode {
  const text = useIntegrationsText();
  const { name, description, format, is_secret: isSecret } = field;
  const isLong = format === 'document' || format === 'google_key_file' || format === 'kubeconfig';
  const given = {
    label: labelOf(name),
    name: `credentials.${name}`,
    hint: <InlineCode text={isStored ? text.storedField(description) : description} />,
    required: isRequired,
    value,
    onValueChange,
  };
  if (isLong) return <TextAreaField {...given} />;
  return <Field {...given} autoComplete="off" spellCheck={false} type={isSecret ? 'password' : 'text'} />;
}

function SecretLocations({ record, kind }: Omit<IntegrationFieldsProps, 'stored'>): ReactNode {
  const text = useIntegrationsText();
  const isAdvanced = useCan('ui.advanced_mode');
  if (!isAdvanced || (kind.fields.length === 0 && !kind.takes_own_fields)) return null;
  return (
    <>
      {kind.secret_places.length > 0 && (
        <MultiChoiceField
          label={text.secretLocations}
          hint={text.secretLocationsHint}
          choices={kind.secret_places.map((location) => ({ value: location, label: text.locationNames[location] }))}
          {...record.field('secret_places')}
          onValueChange={(locations) =>
            record
              .field('secret_places')
              .onValueChange(kind.secret_places.filter((location) => locations.includes(location)))
          }
        />
      )}
      <EntriesField label={text.variables} hint={text.variablesHint} {...record.field('command_variables')} />
    </>
  );
}

/** The request that tests an integration; without a path there is none. */
function TestRequest({ name, value, onValueChange }: RecordField<IntegrationValues['test_request']>): ReactNode {
  const text = useIntegrationsText();
  const set = (changes: Partial<NonNullable<typeof value>>) => {
    const { path, ...lists } = { path: '', ...value, ...changes };
    const given = Object.entries(lists).filter(([, entries]) => Object.keys(entries).length > 0);
    onValueChange(path === '' && given.length === 0 ? null : { path, ...Object.fromEntries(given) });
  };
  return (
    <>
      <Field
        label={text.testPath}
        hint={text.testPathHint}
        name={name}
        value={value?.path ?? ''}
        onValueChange={(path) => set({ path })}
      />
      {value !== null &&
        (['headers', 'query'] as const).map((part) => (
          <EntriesField
            key={part}
            label={text.testParts[part]}
            name={`${name}.${part}`}
            value={value[part] ?? {}}
            onValueChange={(entries) => set({ [part]: entries })}
          />
        ))}
    </>
  );
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
    label: labelOf(name),
    name: `settings.${name}`,
    hint: <InlineCode text={description} />,
    value: settings.value[name] ?? '',
    onValueChange: (value: string) => {
      const { [name]: _before, ...rest } = settings.value;
      settings.onValueChange(value === '' ? rest : { ...rest, [name]: value });
    },
  };
  if (values === null) return <Field {...given} required={!isOptional} />;
  const options = values.map((value) => ({ value, label: value }));
  const withNone = isOptional ? [{ value: '', label: text.notSet }, ...options] : options;
  return <SelectField {...given} placeholder={isOptional ? text.notSet : ''} options={withNone} />;
}

interface NewIntegrationFormProps {
  readonly draftKey: string;
  readonly kind: IntegrationKind;
  /** What it begins with: the same object until the form is gone. */
  readonly begun: IntegrationValues;
}

/** Adds an integration of a kind, and shows it. */
export function NewIntegrationForm({ draftKey, kind, begun }: NewIntegrationFormProps): ReactNode {
  const text = useIntegrationsText();
  const [actions, show] = [useIntegrationActions(), useShowAdded('/o/$orgId/integrations/$integrationId')];
  return (
    <RecordForm
      draftKey={draftKey}
      stored={begun}
      isNew
      secrets={['base_url', 'credentials']}
      json={INTEGRATION_JSON}
      submitLabel={text.create}
      onSubmit={async ({ values }) => show(await actions.add({ ...bodyOf(values), kind: kind.kind }))}
    >
      {(record) => <IntegrationFields record={record} kind={kind} stored={[]} isNew />}
    </RecordForm>
  );
}
