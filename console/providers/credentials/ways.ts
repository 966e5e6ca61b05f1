import { Problem } from '../../core/http/problem.ts';
import type { CatalogEntry, CredentialForm, Provider } from '../queries.ts';

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
export function fieldNameOf(entry: string): string {
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
