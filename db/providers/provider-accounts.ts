import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { ExpectedVersions } from '../../domain/resources.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import type { Transaction } from '../core/transactions.ts';
import {
  findLive,
  lockRecord,
  markDeleted,
  purgeRows,
  readRecords,
  requireRecord,
  restoreDeleted,
} from '../records/records.ts';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { ProviderAccount } from './provider-account.entity.ts';
import type { SignInKey } from './sign-ins.ts';

/** The auth payload of an account, such as `{ api_key }`. */
export type Credentials = Readonly<Record<string, unknown>>;

/** The fields of an account that its owner sets. */
export type ProviderAccountFields = Pick<
  ProviderAccount,
  'providerType' | 'name' | 'authType' | 'modelName' | 'baseUrl' | 'cooldownSeconds' | 'shared'
>;

/** A selection of an organization's accounts; all by default. */
interface AccountSelection {
  /** Accounts with these ids. */
  readonly onlyIds: readonly string[] | undefined;
  /** Accounts that this user may use: shared ones and their own. */
  readonly userId?: string | undefined;
  /** The deleted accounts instead of the others. */
  readonly deleted: boolean;
}

/** Returns the organization's accounts, or some of them, oldest first. */
export async function listProviderAccounts(
  database: Database,
  orgId: string,
  { onlyIds, userId, deleted, ...page }: AccountSelection & Page,
): Promise<Listed<ProviderAccount>> {
  const where = `($2::uuid[] is null or id = any($2)) and ($3::uuid is null or shared or user_id = $3)
    and (deleted_at is not null) = $4 and not is_tentative`;
  const values = [onlyIds ?? null, userId ?? null, deleted];
  return readRecords(database, orgId, ProviderAccount, { name: 'list-provider-accounts', where, values, page });
}

/**
 * Checks that a member may have another account: fewer than `limit` live ones, 0 is unlimited. Concurrent checks for
 * the same member wait until the transaction has ended, so that two additions count each other. `isOwn` says whether
 * the error is shown to that member.
 */
export async function requireRoomForAccount(
  em: EntityManager,
  { orgId, userId }: { orgId: string; userId: string },
  limit: number,
  { isOwn = true } = {},
): Promise<void> {
  if (limit === 0) return;
  await em.execute('select 1 from memberships where org_id = ? and user_id = ? for no key update', [orgId, userId]);
  if ((await em.count(ProviderAccount, { userId, deletedAt: null })) < limit) return;
  throw new AppError(
    'forbidden',
    isOwn
      ? `Your permission groups limit you to ${limit} provider accounts of your own, and you have reached that`
      : `The owner of this account is limited to ${limit} provider accounts by permission groups, and has reached that`,
  );
}

/** Returns the account; `not_found` when there is none. */
export async function getProviderAccount(em: EntityManager, id: string): Promise<ProviderAccount> {
  return findLive(em, ProviderAccount, 'Provider', id);
}

/** Returns the account, locked until the transaction has ended, so that notes of workers come before or after. */
export async function lockProviderAccount(em: EntityManager, id: string): Promise<ProviderAccount> {
  return lockRecord(em, ProviderAccount, 'Provider', { id, deletedAt: null });
}

/** Returns the account to be tested, in use or tentative; `not_found` when there is none. */
export async function getTriedAccount(em: EntityManager, id: string): Promise<ProviderAccount> {
  return requireRecord(em, ProviderAccount, 'Provider', { id, $or: [{ deletedAt: null }, { isTentative: true }] });
}

/** Returns the account, including a deleted one, locked until the transaction has ended. */
export async function lockAnyAccount(em: EntityManager, id: string): Promise<ProviderAccount> {
  return lockRecord(em, ProviderAccount, 'Provider', { id, isTentative: false });
}

/** Returns the account, including a deleted one; `not_found` when there is none. */
export async function findProviderAccount(em: EntityManager, id: string): Promise<ProviderAccount> {
  return requireRecord(em, ProviderAccount, 'Provider', { id, isTentative: false });
}

/** Returns a live account of this type and name that the user owns, or else one that is shared; null for none. */
export async function findAccountOfName(
  em: EntityManager,
  { providerType, accountName: name, userId }: Pick<SignInKey, 'providerType' | 'accountName' | 'userId'>,
): Promise<ProviderAccount | null> {
  const visible = { $or: [{ userId }, { shared: true }] };
  const found = await em.find(ProviderAccount, { providerType, name, deletedAt: null, ...visible }, { limit: 100 });
  return found.find((account) => account.userId === userId) ?? found[0] ?? null;
}

/** The state of an account that neither cools down nor is disabled, and of which no failure is known. */
const HEALTHY = {
  cooldownUntil: null,
  disabledAt: null,
  disabledReason: null,
  lastFailure: null,
  lastFailedAt: null,
};

/** The fields of a new account. */
export interface NewProviderAccount extends ProviderAccountFields {
  readonly orgId: string;
  readonly userId: string;
  readonly credentials: Credentials | undefined;
  /** Whether it is to be tested first: until `keepTentativeAccount` nobody sees or uses it. */
  readonly isTentative: boolean;
}

/** Adds an account; its credentials are encrypted for this row. */
export function createProviderAccount(em: EntityManager, box: SecretBox, input: NewProviderAccount): ProviderAccount {
  const id = uuidv7();
  if (!input.isTentative) afterCommit(em, { wakesTurnsOf: input.orgId });
  const credentials = sealCredentials(box, { orgId: input.orgId, id }, input.credentials);
  const data = {
    ...input,
    ...HEALTHY,
    id,
    credentials,
    lastUsedAt: null,
    deletedAt: input.isTentative ? new Date() : null,
    deletedBy: null,
  };
  return em.create(ProviderAccount, data as RequiredEntityData<ProviderAccount>, { persist: true });
}

/**
 * Changes the given fields only; `credentials` replaces the stored ones as a whole. New credentials or a new address
 * make the account active again; they and a new model make its last failure a thing of the past.
 */
export function updateProviderAccount(
  em: EntityManager,
  box: SecretBox,
  account: ProviderAccount,
  { credentials, ...changes }: Partial<ProviderAccountFields> & { credentials?: Credentials | undefined },
): ProviderAccount {
  afterCommit(em, { wakesTurnsOf: account.orgId });
  const isMoved = changes.baseUrl !== undefined && changes.baseUrl !== account.baseUrl;
  if (isMoved || credentials !== undefined) em.assign(account, HEALTHY);
  if (changes.modelName !== undefined && changes.modelName !== account.modelName)
    em.assign(account, { lastFailure: null, lastFailedAt: null });
  em.assign(account, changes);
  if (credentials !== undefined) account.credentials = sealCredentials(box, account, credentials);
  return account;
}

/** Keeps a tentative account; `not_found` when it is gone. */
export async function keepTentativeAccount(em: EntityManager, id: string): Promise<ProviderAccount> {
  const account = await requireRecord(em, ProviderAccount, 'Provider', { id, isTentative: true });
  afterCommit(em, { wakesTurnsOf: account.orgId });
  return em.assign(account, { isTentative: false, deletedAt: null });
}

/** Removes a tentative account. `purgeCredentials` removes those whose process has died. */
export async function discardTentativeAccount(em: EntityManager, id: string): Promise<void> {
  await em.nativeDelete(ProviderAccount, { id, isTentative: true });
}

/** Removes the tentative accounts of a member, and the sign-ins that they have begun. */
export async function discardTentativeAccountsOf(
  transaction: Transaction,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<void> {
  const values = [orgId, userId];
  await transaction.query('delete from provider_accounts where org_id = $1 and user_id = $2 and is_tentative', values);
  await transaction.query('delete from provider_sign_ins where org_id = $1 and user_id = $2', values);
}

/** Deletes an account softly, in the name of somebody. */
export async function deleteProviderAccount(em: EntityManager, id: string, userId: string): Promise<void> {
  markDeleted(await getProviderAccount(em, id), userId);
}

/** Restores a deleted account. */
export async function restoreProviderAccount(
  em: EntityManager,
  id: string,
  expected?: ExpectedVersions,
): Promise<ProviderAccount> {
  const account = await restoreDeleted(em, ProviderAccount, { thing: 'Provider', id, expected });
  afterCommit(em, { wakesTurnsOf: account.orgId });
  return account;
}

/** Deletes tentative accounts whose process has ended while they were tested. */
export async function purgeTentativeAccounts(database: Database): Promise<void> {
  await purgeRows(database, 'provider_accounts', "is_tentative and created_at < now() - interval '10 minutes'");
}

/** Deletes the accounts that only one user may use, since nobody else would ever remove their credentials. */
export async function deletePrivateAccounts(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query('delete from provider_accounts where user_id = $1 and not shared', [userId]);
}

/** Deletes an account permanently, including its credentials, whether or not it was deleted before. */
export async function purgeProviderAccount(em: EntityManager, id: string): Promise<void> {
  const deleted = await em.nativeDelete(ProviderAccount, { id });
  if (deleted === 0) throw notFound('Provider');
}

/** Encrypts the auth payloads of accounts. */
export const accountSecrets = new SecretColumn('provider_accounts');

/** Returns the decrypted auth payload of an account; empty when it has none. Only for the activity that uses it. */
export function openCredentials(box: SecretBox, row: SealedRow & { credentials: Buffer | null }): Credentials {
  if (row.credentials === null) return {};
  return JSON.parse(accountSecrets.open(box, row, row.credentials)) as Credentials;
}

/** Encrypts the auth payload of an account; null for an empty one. */
export function sealCredentials(box: SecretBox, row: SealedRow, credentials: Credentials | undefined): Buffer | null {
  if (credentials === undefined || Object.keys(credentials).length === 0) return null;
  return accountSecrets.seal(box, row, JSON.stringify(credentials));
}
