import type { CredentialField, IntegrationKind, Secrets } from './integration-kind.ts';
import { kubeconfigSecrets, pemSecrets } from './kubeconfig.ts';

/**
 * Returns the values that answers are searched for: the secrets without what goes along with them and is none.
 *
 * @param readYaml - Returns what a kubeconfig says; undefined when it is no YAML.
 */
export function maskedValues(
  { fields }: Pick<IntegrationKind, 'fields'>,
  secrets: Secrets,
  readYaml: (text: string) => unknown,
): readonly string[] {
  const known = new Map((fields ?? []).map((field) => [field.name, field]));
  return Object.entries(secrets).flatMap(([name, value]) => {
    const { isPlain, format } = known.get(name) ?? {};
    return isPlain === true ? [] : secretsIn(value, format, readYaml);
  });
}

function secretsIn(
  value: string,
  format: CredentialField['format'],
  readYaml: (text: string) => unknown,
): readonly string[] {
  if (format === 'address') return secretPartsOf(value);
  if (format === 'document') return pemSecrets(value);
  return format === 'kubeconfig' ? (kubeconfigSecrets(readYaml(value)) ?? [value]) : [value];
}

/** The shortest part of an address that nobody guesses; others are names of hosts and routes. */
const MIN_SECRET_PART = 16;

// Masking all of it would mask the name of the service everywhere.
function secretPartsOf(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [address];
  const parts = [...url.pathname.split('/'), ...url.searchParams.values()];
  return parts.filter((part) => part.length >= MIN_SECRET_PART);
}
