import type { z } from 'zod';
import type { Integration } from '../../db/integrations/index.ts';
import { apiUrlOf, integrationKind, type IntegrationKindKey } from '../../domain/integrations/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { integrationKindSchema, integrationSchema } from './schema.ts';

/** Returns an integration as the API shows it: of its secrets, only their names. */
export function presentIntegration(integration: Integration): z.input<typeof integrationSchema> {
  return present(integrationSchema, integration, {
    apiUrl: apiUrlOf(integration),
    hasCredentials: integration.credentialFields.length > 0,
    status: statusOf(integration),
  });
}

function statusOf({ checkedAt, error }: Integration): 'unchecked' | 'working' | 'failing' {
  if (checkedAt === null) return 'unchecked';
  return error === null ? 'working' : 'failing';
}

/** Returns a kind of integrations as the API shows it. */
export function presentKind(kind: IntegrationKindKey): z.input<typeof integrationKindSchema> {
  const { fields, test, baseUrl, ...entry } = integrationKind(kind);
  return present(integrationKindSchema, {
    ...entry,
    kind,
    baseUrl,
    requiresBaseUrl: baseUrl === null,
    fields: fields ?? [],
    takesOwnFields: fields === null,
    takesTestRequest: test === null,
  });
}
