import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import type { CatalogEntry, CredentialForm } from '../queries.ts';
import { useProvidersText } from '../text.ts';
import { fieldNameOf, formOf, type Way, waysOf } from './ways.ts';

/** What is entered to sign in, and what takes it. */
interface EnteredCredentials {
  readonly way: Way;
  readonly onWay: (way: Way) => void;
  readonly values: Readonly<Record<string, string>>;
  readonly onValues: (values: Readonly<Record<string, string>>) => void;
}

interface CredentialFieldsProps extends EnteredCredentials {
  readonly entry: CatalogEntry;
  /** Whether credentials of the chosen way are stored, which stay unless others are entered. */
  readonly isStored: boolean;
}

/** Asks for what a provider wants to be signed in to with, in the way that is chosen where it has several. */
export function CredentialFields({ entry, isStored, way, onWay, values, onValues }: CredentialFieldsProps): ReactNode {
  const text = useProvidersText().credentials;
  const [ways, form] = [waysOf(entry), formOf(entry, way)];
  const nameOf = (each: Way) => formOf(entry, each)?.name ?? text.none;
  return (
    <>
      {ways.length > 1 && (
        <SelectField
          label={text.way}
          name="auth_type"
          options={ways.map((each) => ({ value: each, label: nameOf(each) }))}
          value={way}
          onValueChange={onWay}
        />
      )}
      {form?.entries.map((each) => (
        <EntryField
          key={`${form.key}.${each.name}`}
          entry={each}
          isStored={isStored}
          value={values[each.name] ?? ''}
          onValueChange={(value) => {
            const { [each.name]: _before, ...rest } = values;
            onValues(value === '' ? rest : { ...rest, [each.name]: value });
          }}
        />
      ))}
    </>
  );
}

interface EntryFieldProps {
  readonly entry: CredentialForm['entries'][number];
  readonly isStored: boolean;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
}

function EntryField({ entry, isStored, value, onValueChange }: EntryFieldProps): ReactNode {
  const text = useProvidersText().credentials;
  const { name, description, format, is_optional: isOptional, is_secret: isSecret } = entry;
  const names: Readonly<Record<string, string>> = text.names;
  const keeps = isStored ? text.keeps : isSecret ? text.hidden : '';
  const given = {
    label: names[name] ?? name,
    name: fieldNameOf(name),
    hint: `${description} ${keeps}`.trim(),
    required: !isOptional && !isStored,
    value,
    onValueChange,
  };
  if (format === 'google_key_file') return <TextAreaField {...given} />;
  return <Field {...given} autoComplete="off" spellCheck={false} type={isSecret ? 'password' : 'text'} />;
}
