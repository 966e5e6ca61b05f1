import { type CatalogEntry, findCatalogEntry, whyUnavailable } from '../../builtin/index.ts';
import type { Credentials } from '../../db/providers/provider-accounts.ts';
import type { ProviderAccount } from '../../db/providers/provider-account.entity.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { baseUrlIssue } from '../../domain/network/host-names.ts';
import type { PrivateHosts } from '../../domain/network/addresses.ts';
import type { AuthType } from '../../domain/providers/credential-forms.ts';
import { readSignIn } from '../../domain/providers/sign-in.ts';
import { isAdministrator } from '../access/policies.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

/** Returns the catalog's entry of a provider type; an unknown type is an invalid body. */
export function catalogEntryOf(providerType: string): CatalogEntry {
  const entry = findCatalogEntry(providerType);
  if (entry === undefined) throw fieldIssue('provider_type', 'is not a key of the provider catalog');
  return entry;
}

/** Rejects an address that outgoing calls may not reach, and a missing one where the provider has none of its own. */
export function checkBaseUrl(
  entry: CatalogEntry | undefined,
  baseUrl: string | null,
  privateHosts: PrivateHosts,
): void {
  if (baseUrl === null) {
    if (entry?.requiresBaseUrl === true)
      throw fieldIssue('base_url', `is required for this provider${suggestion(entry)}`);
    return;
  }
  const placeholder = /(?:\{|%7b)[^}%/]{0,100}(?:\}|%7d)?/i.exec(baseUrl)?.[0];
  if (placeholder !== undefined) throw fieldIssue('base_url', `must have your own value instead of ${placeholder}`);
  if (entry?.authType === 'oauth')
    throw fieldIssue('base_url', "must be null: the vendor's program knows where it calls");
  const problem = baseUrlIssue(baseUrl, privateHosts);
  if (problem !== undefined) throw fieldIssue('base_url', problem);
}

/** Rejects a new address without credentials: somebody who changes the address must know them. */
export function checkCredentialsComeAlong(
  account: ProviderAccount,
  body: { base_url?: string | null | undefined; credentials?: unknown },
): void {
  const movesAddress = body.base_url !== undefined && body.base_url !== account.baseUrl;
  if (movesAddress && account.credentials !== null && body.credentials === undefined) {
    throw fieldIssue('credentials', 'must be given again when base_url changes');
  }
}

/** Hides from members the accounts that others have added for themselves. */
export function checkMaySee(caller: OrgCaller, { shared, userId }: ProviderAccount): void {
  if (!shared && userId !== caller.userId && !isAdministrator(caller)) throw notFound('Provider');
}

/**
 * Rejects a member's access to the accounts of others, of which they see only the shared ones; administrators may
 * manage every account.
 */
export function checkMayManage(caller: OrgCaller, account: ProviderAccount): void {
  checkMaySee(caller, account);
  if (isAdministrator(caller) || account.userId === caller.userId) return;
  throw new AppError('forbidden', 'Only its owner and administrators may change or test this provider account');
}

/** Rejects a member's choice of whom an account serves: its owner would see everybody's conversations. */
export function checkMayShare(caller: OrgCaller, isShared: boolean, wanted: boolean | undefined): void {
  if (wanted === undefined || wanted === isShared || isAdministrator(caller)) return;
  throw new AppError(
    'forbidden',
    'Only administrators (with settings.manage) can share a provider account with the organization, or stop sharing it',
  );
}

/** Rejects a member's change of address of an account that was shared with everybody for its old one. */
export function checkMayMove(caller: OrgCaller, account: ProviderAccount, baseUrl: string | null | undefined): void {
  if (baseUrl === undefined || baseUrl === account.baseUrl || !account.shared || isAdministrator(caller)) return;
  throw new AppError('forbidden', 'This provider account is shared: only administrators may change its base_url');
}

function suggestion({ baseUrl }: CatalogEntry): string {
  return baseUrl === null ? '' : `, such as ${baseUrl}`;
}

/** How an account signs in, and its default model. */
interface AccountSetup {
  readonly authType: AuthType;
  readonly credentials: Credentials;
  readonly modelName: string | null;
  readonly baseUrl: string | null;
}

/** Returns the auth type for a body without one: derived from its credentials, otherwise the catalog's. */
export function usualAuthType({ authType, streamType }: CatalogEntry, credentials: Credentials): AuthType {
  if (authType !== 'none' || streamType === 'demo') return authType;
  return Object.keys(credentials).length > 0 ? 'apikey' : 'none';
}

/** Rejects an account that cannot work, whatever its provider responds: it would fail at its first turn. */
export function checkCanWork(entry: CatalogEntry, setup: AccountSetup): void {
  const reason = whyUnavailable(entry);
  if (reason !== null) throw fieldIssue('provider_type', reason);
  if (entry.authType === 'oauth') throw fieldIssue('provider_type', 'is added by a sign-in');
  checkAuthType(entry, setup.authType);
  checkCredentials(entry, setup);
  checkModel(entry, setup.modelName);
}

/** Rejects changes that keep an account from working. Untouched fields are left alone. */
export function checkChangesCanWork(
  account: ProviderAccount,
  body: {
    readonly auth_type?: AuthType | undefined;
    readonly credentials?: Credentials | undefined;
    readonly model_name?: string | null | undefined;
    readonly base_url?: string | null | undefined;
  },
): void {
  const entry = findCatalogEntry(account.providerType);
  if (entry === undefined) return;
  if (body.auth_type !== undefined) checkAuthType(entry, body.auth_type);
  const authType = body.auth_type ?? account.authType;
  const hasKey = account.credentials !== null;
  const { credentials, base_url: baseUrl = account.baseUrl } = body;
  if (credentials !== undefined) checkCredentials(entry, { authType, credentials, baseUrl });
  else if (body.auth_type !== undefined && authType !== 'oauth' && hasKey !== (authType === 'apikey'))
    throw fieldIssue(
      'credentials',
      hasKey ? 'must be given as {}: the stored ones are no longer used' : 'must be given',
    );
  if (body.model_name !== undefined) checkModel(entry, body.model_name);
}

function checkAuthType(entry: CatalogEntry, authType: AuthType): void {
  const possible = authTypesOf(entry);
  if (!possible.includes(authType)) throw fieldIssue('auth_type', `must be ${possible.join(' or ')} for this provider`);
}

/**
 * Returns the auth types that accounts of a provider may have, the usual one first. A self-hosted server may require a
 * key or not, whatever is usual for its kind.
 */
export function authTypesOf(entry: CatalogEntry): AuthType[] {
  if (entry.streamType === 'demo') return ['none'];
  if (!isSelfHosted(entry)) return [entry.authType];
  return entry.authType === 'none' ? ['none', 'apikey'] : ['apikey', 'none'];
}

function isSelfHosted({ requiresBaseUrl, baseUrl }: CatalogEntry): boolean {
  return requiresBaseUrl && (baseUrl === null || baseUrl.startsWith('http://'));
}

function checkCredentials(
  { key: providerType, baseUrl: ownBaseUrl }: CatalogEntry,
  { authType, credentials, baseUrl }: Pick<AccountSetup, 'authType' | 'credentials' | 'baseUrl'>,
): void {
  if (authType === 'oauth') throw fieldIssue('credentials', 'come from a sign-in');
  if (authType === 'none') {
    if (Object.keys(credentials).length > 0) throw fieldIssue('credentials', 'must be empty with the auth_type none');
    return;
  }
  const read = readSignIn({ providerType, baseUrl: baseUrl ?? ownBaseUrl }, credentials);
  if ('issue' in read) throw fieldIssue(['credentials', ...(read.entry === undefined ? [] : [read.entry])], read.issue);
}

function checkModel({ defaultModel }: CatalogEntry, modelName: string | null): void {
  if (defaultModel === null && modelName === null)
    throw fieldIssue('model_name', 'is required: the catalog knows no model of this provider');
}
