import { parse as parseYaml } from 'yaml';
import { type IntegrationKind, maskedValues, readKubeconfig, type Secrets } from '../../domain/integrations/index.ts';

/** Returns the values of an integration's secrets that answers are searched for, those within documents too. */
export function maskedSecrets(kind: Pick<IntegrationKind, 'fields'>, secrets: Secrets): readonly string[] {
  return maskedValues(kind, secrets, (text) => readKubeconfig(text, parseYaml));
}
