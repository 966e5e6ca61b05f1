import { type CatalogEntry, findCatalogEntry } from '../../builtin/index.ts';
import type { ProviderAccount } from '../../db/providers/index.ts';
import { baseUrlIssue, type PrivateHosts } from '../../domain/network/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { isAdministrator } from '../access/is-administrator.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
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
  if (placeholder !== undefined) throw fieldIssue('base_url', `must have your own value in place of ${placeholder}`);
  if (entry?.authType === 'oauth')
    throw fieldIssue('base_url', "must be null: the vendor's program knows where it calls");
  const problem = baseUrlIssue(baseUrl, privateHosts);
  if (problem !== undefined) throw fieldIssue('base_url', problem);
}

/** Rejects a new address without credentials: whoever changes the address must know them. */
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
    'Only administrators (who hold settings.manage) share a provider account with the organization, or end that',
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
