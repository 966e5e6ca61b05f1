import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../core/database.ts';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { retryPushes } from '../issue-pushes.ts';
import { purgeRows } from '../records/records.ts';
import { trackRepositoriesOf } from '../repo-trees.ts';
import { grantTo } from './grants.ts';

/** A person who signs in with an integration. */
interface SignInOwner {
  readonly orgId: string;
  readonly integrationId: string;
  readonly userId: string;
}

/** A sign-in under way. */
export interface IntegrationSignIn extends SignInOwner {
  readonly id: string;
  /** The connection that it was begun for: with other settings of the integration it is worth nothing. */
  readonly connection: string;
  readonly redirectUrl: string;
  readonly sealed: Buffer;
  /** Why it failed, in words for the person. */
  readonly error: string | null;
}

/** The state of a sign-in, encrypted for its row. */
interface SignInMemory {
  readonly verifier: string;
  /** The code with which the service sent the person back. */
  readonly code?: string;
}

/** A sign-in of an organization. */
interface SignInRef {
  readonly orgId: string;
  readonly signInId: string;
}

const COLUMNS = `id, org_id as "orgId", integration_id as "integrationId", user_id as "userId", connection,
  redirect_url as "redirectUrl", sealed, error`;
/** Encrypts the state of sign-ins with integrations. */
export const integrationSignInSecrets = new SecretColumn('integration_sign_ins');

type NewSignIn = Omit<IntegrationSignIn, 'error'> & { readonly state: string };

/** Begins a sign-in, which replaces an earlier one of the same person. Returns when it expires. */
export async function beginSignIn(em: EntityManager, signIn: NewSignIn): Promise<Date> {
  const { id, orgId, integrationId, userId, connection, redirectUrl, sealed, state } = signIn;
  await em.execute('delete from integration_sign_ins where org_id = ? and integration_id = ? and user_id = ?', [
    orgId,
    integrationId,
    userId,
  ]);
  const [row] = await em.execute<{ expires_at: Date | string }[]>(
    `insert into integration_sign_ins
        (id, org_id, integration_id, user_id, connection, redirect_url, state_digest, sealed)
      values (?, ?, ?, ?, ?, ?, ?, ?) returning expires_at`,
    [id, orgId, integrationId, userId, connection, redirectUrl, digestOf(state), sealed],
  );
  return new Date(row?.expires_at ?? Number.NaN);
}

/** Returns a sign-in that has not expired. */
export async function findSignIn(
  { tenant }: Database,
  { orgId, signInId }: SignInRef,
): Promise<IntegrationSignIn | undefined> {
  const [row] = await tenant.query<IntegrationSignIn>(orgId, {
    name: 'find-integration-sign-in',
    text: `select ${COLUMNS} from integration_sign_ins where org_id = $1 and id = $2 and expires_at > now()`,
    values: [orgId, signInId],
  });
  return row;
}

/** The state of a person's sign-in. */
export interface SignInState {
  readonly isTaken: boolean;
  readonly isExpired: boolean;
  /** Whether the integration has been changed since it was begun. */
  readonly isOutdated: boolean;
  readonly error: string | null;
  readonly expiresAt: Date;
}

/** Returns the state of a person's last sign-in; undefined when it was finished, or none was begun. */
export async function findSignInState(em: EntityManager, owner: SignInOwner): Promise<SignInState | undefined> {
  const { orgId, integrationId, userId } = owner;
  const [row] = await em.execute<(Omit<SignInState, 'expiresAt'> & { expiresAt: Date | string })[]>(
    `select s.state_digest is null as "isTaken", s.expires_at <= now() as "isExpired",
        s.connection <> i.connection as "isOutdated", s.error, s.expires_at as "expiresAt"
      from integration_sign_ins s join integrations i on i.id = s.integration_id
      where s.org_id = ? and s.integration_id = ? and s.user_id = ?`,
    [orgId, integrationId, userId],
  );
  return row && { ...row, expiresAt: new Date(row.expiresAt) };
}

/** A consent request, in words for the person. */
export interface SignInRequest extends SignInOwner {
  readonly integration: string;
  readonly organization: string;
  /** The mail address of the user who began it. */
  readonly user: string;
}

/** Returns what the sign-in that a state belongs to is for; undefined when it has expired or was finished. */
export async function describeSignIn(
  { tenant }: Database,
  orgId: string,
  state: string,
): Promise<SignInRequest | undefined> {
  const [row] = await tenant.query<SignInRequest>(orgId, {
    name: 'describe-integration-sign-in',
    text: `select s.org_id as "orgId", s.integration_id as "integrationId", s.user_id as "userId",
        i.name as integration, o.name as organization, u.email as user
      from integration_sign_ins s
      join integrations i on i.id = s.integration_id join orgs o on o.id = s.org_id join users u on u.id = s.user_id
      where s.org_id = $1 and s.state_digest = $2 and s.expires_at > now()`,
    values: [orgId, digestOf(state)],
  });
  return row;
}

/** Consumes the sign-in that a state belongs to. */
export async function takeSignIn(
  { tenant }: Database,
  orgId: string,
  state: string,
): Promise<IntegrationSignIn | undefined> {
  const [row] = await tenant.query<IntegrationSignIn>(orgId, {
    name: 'take-integration-sign-in',
    text: `update integration_sign_ins set state_digest = null
      where org_id = $1 and state_digest = $2 and expires_at > now() returning ${COLUMNS}`,
    values: [orgId, digestOf(state)],
  });
  return row;
}

/** Replaces the state of a sign-in. */
export async function storeAnswer({ tenant }: Database, { orgId, signInId }: SignInRef, sealed: Buffer): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-integration-answer',
    text: 'update integration_sign_ins set sealed = $3 where org_id = $1 and id = $2',
    values: [orgId, signInId, sealed],
  });
}

/** Records why a sign-in failed. */
export async function failSignIn({ tenant }: Database, { orgId, signInId }: SignInRef, error: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'fail-integration-sign-in',
    text: 'update integration_sign_ins set error = $3, state_digest = null where org_id = $1 and id = $2',
    values: [orgId, signInId, error],
  });
}

/**
 * Ends a sign-in with what was granted, unless the integration has been changed since, or it was reported to the person
 * as failed; returns whether it was stored. What was refused with the former tokens is sent again, and the repositories
 * that are reached with it are read again.
 */
export async function endSignIn(database: Database, signIn: IntegrationSignIn, granted: Buffer): Promise<boolean> {
  const { orgId, id, integrationId, connection } = signIn;
  return withOrgTransaction(database, orgId, async (em) => {
    const ended = await em.execute<unknown[]>(
      'delete from integration_sign_ins where org_id = ? and id = ? and error is null returning id',
      [orgId, id],
    );
    if (ended.length === 0 || !(await grantTo(em, { orgId, id: integrationId, connection }, granted))) return false;
    await retryPushes(em, { integrationId });
    await trackRepositoriesOf(em, integrationId);
    return true;
  });
}

/** Removes sign-ins that have expired, with what is sealed in them. */
export async function purgeSignIns(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'integration_sign_ins', 'expires_at < now()');
}

/** Encrypts the state of a sign-in. */
export function sealSignIn(box: SecretBox, row: SealedRow, memory: SignInMemory): Buffer {
  return integrationSignInSecrets.seal(box, row, JSON.stringify(memory));
}

/** Decrypts the state of a sign-in. */
export function openSignIn(box: SecretBox, { orgId, id, sealed }: IntegrationSignIn): SignInMemory {
  return JSON.parse(integrationSignInSecrets.open(box, { orgId, id }, sealed)) as SignInMemory;
}

function digestOf(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}
