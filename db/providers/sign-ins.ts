import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { MAX_CODE_TRIES, type SignInStatus } from '../../domain/providers/sign-in.ts';
import type { Database } from '../core/database.ts';
import { type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { purgeRows } from '../records/records.ts';

/** The key of a person's sign-in. Nobody else finds it. */
export interface SignInKey {
  readonly orgId: string;
  readonly userId: string;
  readonly providerType: string;
  readonly accountName: string;
}

/** A person's sign-in at a provider. */
export interface ProviderSignIn extends SignInKey {
  readonly id: string;
  readonly status: SignInStatus;
  /** An explanation of the status, for the person. */
  readonly detail: string | null;
  readonly authUrl: string | null;
  /** The code that the person enters at that page. */
  readonly userCode: string | null;
  readonly tries: number;
  /** The credentials of the sign-in, encrypted, until an account is made of them. */
  readonly credentials: Buffer | null;
  /** The account that was made of it. */
  readonly accountId: string | null;
  readonly expiresAt: Date;
}

/** The key of a sign-in for the worker that runs it. */
export interface SignInRef {
  readonly orgId: string;
  readonly signInId: string;
}

/** Encrypts the state and the result of sign-ins at providers. */
export const providerSignInSecrets = new SecretColumn('provider_sign_ins');
/** The sign-ins that a person may have open at once. */
const MAX_OPEN = 5;
const OPEN = "status in ('pending', 'awaiting_code', 'verifying')";
const IS_OVER = "expires_at < now() and account_id is null and status <> 'failed'";

const COLUMNS = `id, org_id as "orgId", user_id as "userId", provider_type as "providerType", account_name as "accountName",
  case when ${IS_OVER} then 'expired' else status end as status,
  case when ${IS_OVER} then 'It was not finished in time; start again' else detail end as detail,
  auth_url as "authUrl", user_code as "userCode", tries, credentials, account_id as "accountId", expires_at as "expiresAt"`;

/** Begins a sign-in, which replaces the person's earlier one of this name. Returns its id. */
export async function beginSignIn({ tenant }: Database, key: SignInKey): Promise<string> {
  const { orgId, userId, providerType, accountName } = key;
  const [row] = await tenant.query<{ id: string }>(orgId, {
    name: 'begin-provider-sign-in',
    text: `insert into provider_sign_ins as s (id, org_id, user_id, provider_type, account_name)
      select $1::uuid, $2::uuid, $3::uuid, $4::text, $5::text
      where (select count(*) from provider_sign_ins where org_id = $2 and user_id = $3 and ${OPEN} and expires_at > now()
        and (provider_type, account_name) <> ($4, $5)) < ${MAX_OPEN}
      on conflict (org_id, user_id, provider_type, account_name) do update
        set id = excluded.id, status = 'pending', detail = null, auth_url = null, user_code = null, tries = 0, code = null,
          credentials = null, account_id = null, created_at = now(), expires_at = excluded.expires_at
      returning id`,
    values: [uuidv7(), orgId, userId, providerType, accountName],
  });
  if (row === undefined)
    throw new AppError('conflict', `You have ${MAX_OPEN} sign-ins under way; finish one, or wait until it expires`);
  return row.id;
}

/** Returns a person's own sign-in; `not_found` when there is none. */
export async function findSignIn({ tenant }: Database, key: SignInKey): Promise<ProviderSignIn> {
  const [row] = await tenant.query<ProviderSignIn>(key.orgId, {
    name: 'find-provider-sign-in',
    text: `select ${COLUMNS} from provider_sign_ins
      where org_id = $1 and user_id = $2 and provider_type = $3 and account_name = $4`,
    values: [key.orgId, key.userId, key.providerType, key.accountName],
  });
  if (row === undefined) throw notFound('Sign-in');
  return row;
}

/** Returns a person's own sign-in, locked until the transaction has ended; `not_found` when there is none. */
export async function lockSignIn(em: EntityManager, key: SignInKey): Promise<ProviderSignIn> {
  const [row] = await em.execute<ProviderSignIn[]>(
    `select ${COLUMNS} from provider_sign_ins
      where org_id = ? and user_id = ? and provider_type = ? and account_name = ? for update`,
    [key.orgId, key.userId, key.providerType, key.accountName],
  );
  if (row === undefined) throw notFound('Sign-in');
  return { ...row, expiresAt: new Date(row.expiresAt) };
}

/** Records the account that was made of a sign-in, which has its credentials now. */
export async function completeSignIn(em: EntityManager, signInId: string, accountId: string): Promise<void> {
  await em.execute('update provider_sign_ins set account_id = ?, credentials = null where id = ?', [
    accountId,
    signInId,
  ]);
}

/**
 * Stores what a person came back with, encrypted, for the program that waits for it. Returns the sign-in; undefined
 * when no code is awaited.
 */
export async function storeCode(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  code: Buffer,
): Promise<ProviderSignIn | undefined> {
  const [row] = await tenant.query<ProviderSignIn>(orgId, {
    name: 'store-provider-sign-in-code',
    text: `update provider_sign_ins set code = $3, status = 'verifying', detail = null, tries = tries + 1
      where org_id = $1 and id = $2 and status = 'awaiting_code' and expires_at > now() and tries < ${MAX_CODE_TRIES}
      returning ${COLUMNS}`,
    values: [orgId, signInId, code],
  });
  return row;
}

/** Returns a sign-in by its id; undefined when it was restarted or removed. */
export async function readSignInById(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
): Promise<ProviderSignIn | undefined> {
  const [row] = await tenant.query<ProviderSignIn>(orgId, {
    name: 'read-provider-sign-in',
    text: `select ${COLUMNS} from provider_sign_ins where org_id = $1 and id = $2`,
    values: [orgId, signInId],
  });
  return row;
}

/** Deletes and returns the code of a sign-in. */
export async function takeCode({ tenant }: Database, { orgId, signInId }: SignInRef): Promise<Buffer | undefined> {
  const [row] = await tenant.query<{ code: Buffer }>(orgId, {
    name: 'take-provider-sign-in-code',
    text: `with taken as (select id, code from provider_sign_ins where org_id = $1 and id = $2 and code is not null for update)
      update provider_sign_ins s set code = null from taken where s.id = taken.id returning taken.code`,
    values: [orgId, signInId],
  });
  return row?.code;
}

/** Where a person signs in, and what they enter there. */
export interface SignInAddress {
  readonly authUrl: string;
  readonly userCode: string | null;
  /** Whether the person comes back with a code. */
  readonly wantsCode: boolean;
}

/** Stores where a person signs in. */
export async function storeAddress(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  { authUrl, userCode, wantsCode }: SignInAddress,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-provider-sign-in-address',
    text: `update provider_sign_ins set auth_url = $3, user_code = $4, status = $5
      where org_id = $1 and id = $2 and status = 'pending'`,
    values: [orgId, signInId, authUrl, userCode, wantsCode ? 'awaiting_code' : 'pending'],
  });
}

/** Lets a person try again whose code was not accepted, at a new address if there is one. Fails after the last try. */
export async function wantAnotherCode(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  { authUrl, detail }: { readonly authUrl: string | null; readonly detail: string },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'want-another-provider-sign-in-code',
    text: `update provider_sign_ins set auth_url = coalesce($3, auth_url), detail = $4,
        status = case when tries < ${MAX_CODE_TRIES} then 'awaiting_code' else 'failed' end
      where org_id = $1 and id = $2 and status = 'verifying'`,
    values: [orgId, signInId, authUrl, detail],
  });
}

/** Stores what has been signed in; an account can be made of it for as long as a new sign-in would last. */
export async function storeSignedIn(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
  credentials: Buffer,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-provider-signed-in',
    text: `update provider_sign_ins set status = 'ready', detail = null, credentials = $3, code = null,
        expires_at = now() + interval '15 minutes'
      where org_id = $1 and id = $2 and ${OPEN} and expires_at > now()`,
    values: [orgId, signInId, credentials],
  });
}

/** Ends a sign-in that cannot continue. */
export async function failSignIn(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, signInId }: SignInRef,
  detail: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'fail-provider-sign-in',
    text: `update provider_sign_ins set status = 'failed', detail = $3, code = null
      where org_id = $1 and id = $2 and ${OPEN}`,
    values: [orgId, signInId, detail],
  });
}

/** Removes sign-ins some time after they have expired, with what is encrypted in them. */
export async function purgeSignIns(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'provider_sign_ins', "expires_at < now() - interval '15 minutes'");
}

/** Encrypts the JSON of a value for a sign-in. */
export function sealSignIn(box: SecretBox, { orgId, signInId: id }: SignInRef, value: unknown): Buffer {
  return providerSignInSecrets.seal(box, { orgId, id }, JSON.stringify(value));
}

/** Returns the value that was encrypted for a sign-in. */
export function openSignIn(box: SecretBox, { orgId, signInId: id }: SignInRef, sealed: Buffer): unknown {
  return JSON.parse(providerSignInSecrets.open(box, { orgId, id }, sealed));
}
