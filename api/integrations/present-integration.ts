import type { z } from 'zod';
import { builtinTools } from '../../builtin/index.ts';
import { type SecretBox, whyUnreadable } from '../../db/core/secret-box.ts';
import type { Integration } from '../../db/integrations/integration.entity.ts';
import { present } from '../../domain/core/record-names.ts';
import { apiUrlOf } from '../../domain/integrations/address.ts';
import { integrationKind, type IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import { type KindOAuth, WEB_SCHEMES } from '../../domain/integrations/integration-kind.ts';
import { CALLBACK_PATH } from './oauth/start-sign-in.ts';
import { integrationKindSchema, integrationSchema } from './schema.ts';

/** Returns an integration as the API shows it: of its secrets, only their names. */
export function presentIntegration(integration: Integration, box: SecretBox): z.input<typeof integrationSchema> {
  const unreadable = whyUnreadable(box, integration.credentials);
  return present(integrationSchema, integration, {
    apiUrl: apiUrlOf(integration),
    hasCredentials: integration.credentialFields.length > 0,
    status: unreadable === null ? statusOf(integration) : 'failing',
    error: unreadable ?? integration.error,
  });
}

function statusOf({ checkedAt, error }: Integration): 'unchecked' | 'working' | 'failing' {
  if (checkedAt === null) return 'unchecked';
  return error === null ? 'working' : 'failing';
}

/** Returns a kind of integrations as the API shows it. */
export function presentKind(key: IntegrationKindKey, publicUrl: string): z.input<typeof integrationKindSchema> {
  const kind = integrationKind(key);
  const { name, description, baseUrl, schemes, fields, settings, secretPlaces, test, oauth } = kind;
  return present(integrationKindSchema, {
    kind: key,
    name,
    description,
    baseUrl,
    requiresBaseUrl: baseUrl === null,
    schemes: [...(schemes ?? WEB_SCHEMES)],
    fields: (fields ?? []).map(({ isOptional, format = 'token', isPlain, ...field }) => ({
      ...field,
      format,
      isOptional: isOptional === true,
      isSecret: isPlain !== true,
    })),
    alternatives: (kind.alternatives ?? []).map((names) => [...names]),
    combinable: [...(kind.combinable ?? [])],
    settings: (settings ?? []).map(({ isOptional, values, ...setting }) => ({
      ...setting,
      isOptional: isOptional === true,
      values: values === undefined ? null : [...values],
    })),
    oauth: oauth === undefined ? null : presentOAuth(oauth, publicUrl),
    tools: toolsWith(key),
    takesOwnFields: fields === null,
    secretPlaces: [...secretPlaces],
    takesTestRequest: test === null,
  });
}

function toolsWith(kind: IntegrationKindKey): string[] {
  return builtinTools
    .filter((tool) => [...(tool.needs_integration ?? []), ...(tool.uses_integration ?? [])].includes(kind))
    .map(({ key }) => key);
}

function presentOAuth({ scopes }: KindOAuth, publicUrl: string) {
  return {
    redirectUrl: `${publicUrl}${CALLBACK_PATH}`,
    scopes: scopes.map(({ isUsual, ...scope }) => ({ ...scope, isUsual: isUsual === true })),
  };
}
