import { plainJson } from '../ui/form/json-form.ts';
import type { McpServer, NewServer } from './queries.ts';

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
