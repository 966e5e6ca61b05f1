import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { Database } from '../core/database.ts';
import { type Transaction, withSystemTransaction } from '../core/transactions.ts';
import { isUniqueViolation } from '../core/unavailable.ts';
import { mailServicesOf } from '../notifications/find-mail-service.ts';
import { setPassword } from '../passwords.ts';

/** A person's account. */
interface User {
  readonly id: string;
  readonly email: string;
  readonly fullName: string;
  readonly isManaged: boolean;
  readonly activeOrgId: string | null;
  /** Whether they are mailed what waits for their decision. */
  readonly mailNotifications: boolean;
  /** Why they are not, although they want to be, for the active organization; null when nothing keeps them from it. */
  readonly mailNotificationsProblem: string | null;
  /** Whether they are messaged about it by a channel. */
  readonly slackNotifications: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An organization as one of its members sees it. */
interface UserOrg {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/**
 * Whether `users u` is bound to the organization that manages the account: owners and admins of any organization are
 * not, nor are users without an organization.
 */
export const IS_MANAGED = `(u.is_managed and exists (select from memberships own where own.user_id = u.id)
  and not exists (select from memberships own where own.user_id = u.id and own.role in ('admin', 'owner')))`;

/** Whether nobody can sign in to the account of `users u` with a password. Only system connections see it. */
export const IS_PASSWORDLESS = `(not exists (select from user_passwords p where p.user_id = u.id))`;

const NO_MAIL_SERVICE = `case when u.mail_notifications and not exists (select ${mailServicesOf('u.active_org_id')}) then (
    select o.name || ' cannot e-mail you: none of its administrators has added an SMTP integration.' from orgs o
    where o.id = u.active_org_id
  ) end`;

/** The columns of `User`, for statements that select from `users u`. */
const USER_COLUMNS = `u.id, u.email, u.full_name as "fullName", ${IS_MANAGED} as "isManaged",
  u.active_org_id as "activeOrgId", u.mail_notifications as "mailNotifications",
  ${NO_MAIL_SERVICE} as "mailNotificationsProblem",
  u.slack_notifications as "slackNotifications", u.created_at as "createdAt", u.updated_at as "updatedAt"`;

/** Returns a user with the organizations they belong to, by name. */
export async function getUser({ system }: Database, userId: string): Promise<User & { orgs: UserOrg[] }> {
  const { rows } = await system.query<User & { orgs: UserOrg[] }>({
    name: 'get-user',
    text: `select ${USER_COLUMNS}, coalesce(
        (select json_agg(json_build_object('id', o.id, 'name', o.name, 'role', m.role) order by o.name, o.id)
         from memberships m join orgs o on o.id = m.org_id where m.user_id = u.id), '[]') as orgs
      from users u where u.id = $1`,
    values: [userId],
  });
  const [user] = rows;
  if (user === undefined) throw notFound('User');
  return user;
}

interface NewUser {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly fullName: string;
  /** Their active organization. */
  readonly orgId: string;
}

/** Stores a user, and returns their id; `conflict` when the address has an account. */
export async function insertUser(transaction: Transaction, { email, fullName, orgId }: NewUser): Promise<string> {
  const id = uuidv7();
  await transaction
    .query('insert into users (id, email, full_name, active_org_id) values ($1, $2, $3, $4)', [
      id,
      email,
      fullName,
      orgId,
    ])
    .catch(rejectTakenAddress);
  return id;
}

/** Stores a user whose account the organization manages; returns undefined when the address has just been taken. */
export async function insertManagedUser(
  transaction: Transaction,
  { email, fullName, orgId }: NewUser,
): Promise<string | undefined> {
  const { rows } = await transaction.query<{ id: string }>(
    `insert into users (id, email, full_name, is_managed, managed_org_id, active_org_id)
      values ($1, $2, $3, true, $4, $4) on conflict (email) do nothing returning id`,
    [uuidv7(), email, fullName, orgId],
  );
  return rows[0]?.id;
}

// A domain that cannot exist (RFC 2606), and a random name, which nobody can have taken before.
const NO_ADDRESS = "gen_random_uuid() || '@removed.invalid'";

/** Frees the address of an account. The account and its records stay as they are. */
export async function removeAddress(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(`update users set email = ${NO_ADDRESS}, updated_at = now() where id = $1`, [userId]);
}

/** Marks an account as deleted, and erases name and address. */
export async function eraseUser(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(
    `update users set email = ${NO_ADDRESS}, full_name = '', active_org_id = null, updated_at = now(),
      deleted_at = now() where id = $1`,
    [userId],
  );
}

interface UserChanges {
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly mailNotifications?: boolean | undefined;
  readonly slackNotifications?: boolean | undefined;
}

/**
 * Changes the given fields; `conflict` when another account has the address, `not_found` when this one has been
 * deleted. A new password ends every session of the user and the API keys that were made with any; password links and
 * known addresses are removed.
 */
export async function updateUser(
  database: Database,
  userId: string,
  { fullName, email, passwordHash, mailNotifications, slackNotifications }: UserChanges,
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rowCount } = await transaction
      .query(
        `update users set full_name = coalesce($2, full_name), email = coalesce($3, email),
          mail_notifications = coalesce($4, mail_notifications),
          slack_notifications = coalesce($5, slack_notifications), updated_at = now()
          where id = $1 and deleted_at is null`,
        [userId, fullName ?? null, email ?? null, mailNotifications ?? null, slackNotifications ?? null],
      )
      .catch(rejectTakenAddress);
    if (rowCount === 0) throw notFound('User');
    if (passwordHash === undefined) return;
    await setPassword(transaction, userId, passwordHash);
  });
}

/** Returns when the database was made, while nobody has an account; undefined from the first account on. */
export async function emptySince({ system }: Database): Promise<Date | undefined> {
  const { rows } = await system.query<{ since: Date | null }>({
    name: 'empty-since',
    text: 'select min(executed_at) as since from schema_migrations where not exists (select from users)',
  });
  return rows[0]?.since ?? undefined;
}

/** Keeps others from adding accounts until the transaction ends; throws `forbidden` when there is one. */
export async function requireNoAccount(transaction: Transaction): Promise<void> {
  await transaction.query('lock table users in share row exclusive mode');
  const { rowCount } = await transaction.query('select from users limit 1');
  if (rowCount !== 0) throw setupIsDone();
}

/** Returns the answer to a setup token that is of no use any more. */
export function setupIsDone(): AppError {
  return new AppError('forbidden', 'This server is already set up; the setup token only works for the first account');
}

/** Throws a conflict when a statement failed because an e-mail address is taken; rethrows every other error. */
function rejectTakenAddress(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new AppError('conflict', 'An account with this e-mail address already exists', { cause: error });
}
