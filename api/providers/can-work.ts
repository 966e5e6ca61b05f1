import { type CatalogEntry, findCatalogEntry, whyUnavailable } from '../../builtin/index.ts';
import type { Credentials, ProviderAccount } from '../../db/providers/index.ts';
import type { AuthType } from '../../domain/providers/index.ts';
import { fieldIssue } from '../http/problem.ts';

/** How an account signs in, and its default model. */
interface AccountSetup {
  readonly authType: AuthType;
  readonly credentials: Credentials;
  readonly modelName: string | null;
}

/** Returns the auth type for a body without one: derived from its credentials, otherwise the catalog's. */
export function usualAuthType({ authType, streamType }: CatalogEntry, credentials: Credentials): AuthType {
  if (authType !== 'none' || streamType === 'demo') return authType;
  return Object.keys(credentials).length > 0 ? 'apikey' : 'none';
}

/** Rejects an account that cannot work, whatever its provider responds: it would fail at its first turn. */
export function checkCanWork(entry: CatalogEntry, { authType, credentials, modelName }: AccountSetup): void {
  const reason = whyUnavailable(entry);
  if (reason !== null) throw fieldIssue('provider_type', reason);
  checkAuthType(entry, authType);
  checkCredentials(authType, credentials);
  checkModel(entry, modelName);
}

/** Rejects changes that keep an account from working. Untouched fields are left alone. */
export function checkChangesCanWork(
  account: ProviderAccount,
  body: {
    readonly auth_type?: AuthType | undefined;
    readonly credentials?: Credentials | undefined;
    readonly model_name?: string | null | undefined;
  },
): void {
  const entry = findCatalogEntry(account.providerType);
  if (entry === undefined) return;
  if (body.auth_type !== undefined) checkAuthType(entry, body.auth_type);
  const authType = body.auth_type ?? account.authType;
  const hasKey = account.credentials !== null;
  if (body.credentials !== undefined) checkCredentials(authType, body.credentials);
  else if (body.auth_type !== undefined && hasKey !== (authType === 'apikey'))
    throw fieldIssue('credentials', hasKey ? 'must be given as {}: the stored ones are no longer used' : KEY_NEEDED);
  if (body.model_name !== undefined) checkModel(entry, body.model_name);
}

const KEY_NEEDED = 'must have the entry api_key';

function checkAuthType(entry: CatalogEntry, authType: AuthType): void {
  const possible = authTypesOf(entry);
  if (!possible.includes(authType)) throw fieldIssue('auth_type', `must be ${possible.join(' or ')} for this provider`);
}

// A self-hosted server may require a key or not, whatever is usual for its kind.
function authTypesOf(entry: CatalogEntry): AuthType[] {
  if (entry.streamType === 'demo') return ['none'];
  return isSelfHosted(entry) ? ['apikey', 'none'] : [entry.authType];
}

function isSelfHosted({ requiresBaseUrl, baseUrl }: CatalogEntry): boolean {
  return requiresBaseUrl && (baseUrl === null || baseUrl.startsWith('http://'));
}

function checkCredentials(authType: string, credentials: Credentials): void {
  const isEmpty = Object.keys(credentials).length === 0;
  if (authType === 'none' && !isEmpty) throw fieldIssue('credentials', 'must be empty with the auth_type none');
  if (authType !== 'none' && credentials['api_key'] === undefined) throw fieldIssue('credentials', KEY_NEEDED);
}

function checkModel({ defaultModel }: CatalogEntry, modelName: string | null): void {
  if (defaultModel === null && modelName === null)
    throw fieldIssue('model_name', 'is required: the catalog knows no model of this provider');
}
