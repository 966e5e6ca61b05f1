import type { ReactNode } from 'react';
import { Problem } from '../core/http/problem.ts';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import type { CatalogEntry, CredentialForm, Provider } from './queries.ts';
import { useProvidersText } from './text.ts';

/** What is entered to sign in, and what takes it. */
interface EnteredCredentials {
  readonly way: Way;
  readonly onWay: (way: Way) => void;
  readonly values: Readonly<Record<string, string>>;
  readonly onValues: (values: Readonly<Record<string, string>>) => void;
}

/** A way to sign in to a provider: by one of its sets of credentials, or by none. */
export type Way = CredentialForm['key'] | 'none';

/** What of an account is sent for the way that it signs in. */
interface SentCredentials {
  readonly auth_type: 'apikey' | 'none';
  readonly credentials: Readonly<Record<string, string>>;
}

/** Returns the ways in which accounts of a provider sign in, the usual one first. */
export function waysOf({ auth_types: types, credential_forms: forms }: CatalogEntry): readonly Way[] {
  return types.flatMap((type): Way[] => (type === 'none' ? ['none'] : forms.map(({ key }) => key)));
}

/** Returns the set of credentials of a way; undefined where it has none. */
export function formOf(entry: CatalogEntry | undefined, way: Way): CredentialForm | undefined {
  return entry?.credential_forms.find(({ key }) => key === way);
}

/** Returns the way that a stored account is taken to sign in; which set of credentials it has is not told. */
export function wayOf({ auth_type: type }: Provider, entry: CatalogEntry | undefined): Way {
  return type === 'none' ? 'none' : (entry?.credential_forms[0]?.key ?? 'none');
}

/** Returns what is sent of values that were entered for a way: none of those that belong to another one. */
export function credentialsOf(form: CredentialForm | undefined, values: Readonly<Record<string, string>>) {
  const entered = (form?.entries ?? []).map(({ name }) => [name, (values[name] ?? '').trim()] as const);
  const sent: SentCredentials = {
    auth_type: form === undefined ? 'none' : 'apikey',
    credentials: Object.fromEntries(entered.filter(([, value]) => value !== '')),
  };
  return sent;
}

/** Returns the name of the field of an entry, which is where the server says what is wrong with it. */
function fieldNameOf(entry: string): string {
  return `credentials.${entry}`;
}

/** Throws a problem so that what is said about the credentials as a whole stands at the first field of them. */
export function sayAtFirst(error: unknown, form: CredentialForm | undefined): never {
  const first = form?.entries[0]?.name;
  if (!(error instanceof Problem) || first === undefined) throw error;
  const { credentials, ...fields } = error.fields;
  if (credentials === undefined) throw error;
  const { status, message, retryAfterSeconds } = error;
  throw new Problem(status, message, { fields: { ...fields, [fieldNameOf(first)]: credentials }, retryAfterSeconds });
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

interface AddressFieldProps {
  readonly entry: CatalogEntry | undefined;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  /** Further words below it. */
  readonly hint?: string;
}

const PLACEHOLDER = /\{[^{}/]{1,100}\}/g;

/** Asks where a provider is called: at an address of one's own, or the provider's own one when it stays empty. */
export function AddressField({ entry, value, onValueChange, hint }: AddressFieldProps): ReactNode {
  const text = useProvidersText();
  const own = entry?.base_url ?? null;
  const isRequired = entry?.requires_base_url === true;
  const placeholders = [...new Set(value.match(PLACEHOLDER))];
  const hints = [
    placeholders.length > 0 ? text.fillBaseUrl(placeholders.join(', ')) : undefined,
    own !== null && !isRequired ? text.ownBaseUrl(own) : undefined,
    hint,
  ];
  return (
    <Field
      label={text.baseUrl}
      name="base_url"
      // An address with places that are not filled in yet is none to the browser; the server says which are left.
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      placeholder={own ?? 'https://'}
      hint={hints.filter((each) => each !== undefined).join(' ') || undefined}
      required={isRequired}
      value={value}
      onValueChange={onValueChange}
    />
  );
}
