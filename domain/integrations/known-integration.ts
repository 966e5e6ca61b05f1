import type { SecretPlace } from './secret-places.ts';

/** What is known of an integration without its secrets. */
export interface KnownIntegration {
  readonly name: string;
  /** The address that its secrets are sent to, and below. */
  readonly apiUrl: string;
  /** The names of the secrets that it has. */
  readonly fields: readonly string[];
  /** Where custom tools may put them. */
  readonly secretPlaces: readonly SecretPlace[];
}

/** What an integration says beside its secrets, by the names of its kind's settings. */
export type Settings = Readonly<Record<string, string>>;

/** The secrets of an integration, by the names of their fields. */
export type Secrets = Readonly<Record<string, string>>;
