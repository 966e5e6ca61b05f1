import { plainJson } from '../ui/form/use-record.ts';
import type { Integration, IntegrationKind, NewIntegration } from './queries.ts';

/** What the form of an integration changes, by the names that the api has for it. */
export interface IntegrationValues {
  readonly name: string;
  readonly base_url: string;
  /** Is sent, and never comes back: empty while nothing is entered. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly secret_places: Integration['secret_places'];
  readonly command_variables: Readonly<Record<string, string>>;
  readonly test_request: Exclude<NewIntegration['test_request'], undefined>;
}

/** How an integration is written as JSON. */
export const INTEGRATION_JSON = plainJson<IntegrationValues>({ secrets: ['credentials'] });

/** Returns what a new integration of a kind begins with. */
export function newValues({ name, secret_places }: IntegrationKind): IntegrationValues {
  return {
    name,
    base_url: '',
    credentials: {},
    settings: {},
    secret_places,
    command_variables: {},
    test_request: null,
  };
}

/** Returns what the form changes of a stored integration. */
export function valuesOf(integration: Integration): IntegrationValues {
  const { name, base_url, settings, secret_places, command_variables, test_request } = integration;
  return {
    name,
    base_url: base_url ?? '',
    credentials: {},
    settings,
    secret_places,
    command_variables,
    test_request: test_request ?? null,
  };
}

/** Returns what is sent of values: an address that is left empty is that of the public service. */
export function bodyOf<T extends Partial<IntegrationValues>>({ base_url: url, credentials, ...rest }: T) {
  const entered = Object.entries(credentials ?? {}).filter(([, value]) => value !== '');
  return {
    ...rest,
    ...(url !== undefined && { base_url: url === '' ? null : url }),
    ...(entered.length > 0 && { credentials: Object.fromEntries(entered) }),
  };
}

type Sets = Pick<IntegrationKind, 'alternatives' | 'combinable'>;

/** Returns the sets of credentials of which one only may be given; an empty one stands for none of them. */
export function waysOf({ alternatives, combinable }: Sets): readonly (readonly string[])[] {
  const isCombinable = (names: readonly string[]) =>
    names.length > 0 && names.every((name) => combinable.includes(name));
  const ways = alternatives.filter((names) => !isCombinable(names));
  // What may stand beside another set may stand alone as well.
  return ways.length > 0 && alternatives.some(isCombinable) ? [...ways, []] : ways;
}

/** Returns the credentials that are asked for when one of those sets was chosen. */
export function fieldsOf(kind: IntegrationKind, way: readonly string[]): IntegrationKind['fields'] {
  const others = waysOf(kind).flat();
  return kind.fields.filter(({ name }) => way.includes(name) || !others.includes(name));
}

/** Words of names that are written in capitals. */
const CAPITALS: ReadonlySet<string> = new Set(['api', 'ca', 'id', 'json', 'tls', 'url']);

/** Returns how people write the name of a field: "API key" for `api_key`. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  const [first = '', ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ');
}
