import { parse as parseYaml } from 'yaml';
import { type IntegrationKind, maskedValues, type Secrets } from '../../domain/integrations/index.ts';

/** Reads the YAML of a kubeconfig. Throws what is wrong with it. */
export function readKubeconfig(text: string): unknown {
  // Anchors are not followed: a few of them would become a lot.
  return parseYaml(text, { schema: 'core', maxAliasCount: 0, logLevel: 'error' });
}

/** Returns the values of an integration's secrets that answers are searched for, those within documents too. */
export function maskedSecrets(kind: Pick<IntegrationKind, 'fields'>, secrets: Secrets): readonly string[] {
  return maskedValues(kind, secrets, (text) => {
    try {
      return readKubeconfig(text);
    } catch {
      return undefined;
    }
  });
}
