import { GUESS_WINDOW_SECONDS, KNOWN_ADDRESS_DAYS, KNOWN_ADDRESSES, type WrongGuesses } from '../domain/auth.ts';
import { deleteSessionKeys } from './api-keys.ts';
import type { Database } from './core/database.ts';
import { type Transaction, withSystemTransaction } from './core/transactions.ts';
import { purgeRows } from './records/records.ts';
import { endSessionsOf } from './sessions.ts';
import { AppError, notFound } from '../domain/core/app-error.ts';
import { type Membership, roleHasChanged } from '../domain/orgs.ts';

/** Stores the first password of a new account. */
export async function insertPassword(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.query('insert into user_passwords (user_id, hash) values ($1, $2)', [userId, hash]);
}

/** Sets the password of a user, and ends whatever a new password ends. */
export async function setPassword(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.query(
    `with forgotten as (delete from known_addresses where user_id = $1),
        links as (delete from password_links where user_id = $1)
        insert into user_passwords (user_id, hash) values ($1, $2)
        on conflict (user_id) do update set hash = excluded.hash, changed_at = now()`,
    [userId, hash],
  );
  // Runs after that: a session that was being opened with the old password exists by now, and no other is opened with
  // it.
  await endSessionsOf(transaction, userId);
  // Runs last: a key that was being made with one of the sessions exists by now.
  await deleteSessionKeys(transaction, userId);
}

/** Removes the password of a user, with the links and known addresses of the account. */
export async function removePassword(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(
    `with links as (delete from password_links where user_id = $1),
        addresses as (delete from known_addresses where user_id = $1)
        delete from user_passwords where user_id = $1`,
    [userId],
  );
}

/** Deletes expired password links, and addresses that an account was not used from for long. */
export async function purgePasswordData(database: Database): Promise<void> {
  await purgeRows(database, 'password_links', 'expires_at < now()');
  await purgeRows(database, 'known_addresses', `last_used_at < now() - interval '${KNOWN_ADDRESS_DAYS} days'`);
}

/** The attempt to present a password. */
export interface GuessSubject {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  /** The keys of its counters. */
  readonly keys: Readonly<Record<keyof WrongGuesses, string>>;
  /** The digests of account and address, one with each key of the api. */
  readonly digests: readonly [Buffer, ...Buffer[]];
}

/** The facts that decide about a guess before the password is checked. */
interface GuessState {
  /** Undefined when nobody has the e-mail address. */
  readonly userId: string | undefined;
  /** Null for an account without a password. */
  readonly passwordHash: string | null;
  readonly isKnownAddress: boolean;
  readonly counts: GuessCounts;
}

/** The numbers of wrong guesses, and when each count ends; milliseconds since 1970. */
export interface GuessCounts {
  readonly wrong: WrongGuesses;
  readonly until: WrongGuesses;
}

interface CountRow {
  readonly key: string;
  readonly points: number;
  readonly expire: number;
}

/** Looks up an account with everything that decides about a guess at its password, in one round trip. */
export async function readGuessState(
  { system }: Database,
  { email, keys, digests }: GuessSubject,
): Promise<GuessState> {
  const { rows } = await system.query<
    Pick<GuessState, 'passwordHash' | 'isKnownAddress'> & { userId: string | null; counts: CountRow[] }
  >({
    name: 'read-guess-state',
    text: `select u.id as "userId", p.hash as "passwordHash", exists (
        select from known_addresses k
        where k.user_id = u.id and k.digest = any($2) and k.last_used_at > now() - interval '${KNOWN_ADDRESS_DAYS} days'
      ) as "isKnownAddress", coalesce((
        select json_agg(json_build_object('key', key, 'points', points, 'expire', expire))
        from rate_limits where key = any($3) and expire > $4
      ), '[]') as counts
      from (select $1::text as email) sent
      left join users u on u.email = sent.email left join user_passwords p on p.user_id = u.id`,
    values: [email, digests, Object.values(keys), Date.now()],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a guess was not looked up');
  return { ...row, userId: row.userId ?? undefined, counts: toCounts(keys, row.counts) };
}

/** Counts a guess as wrong before it is checked: concurrent guesses cannot pass a limit together. */
export async function countGuess({ system }: Database, { keys }: GuessSubject): Promise<GuessCounts> {
  const now = Date.now();
  const { rows } = await system.query<CountRow>({
    name: 'count-guess',
    // In the order of their keys, so that no two deadlock.
    text: `insert into rate_limits as l (key, points, expire) select key, 1, $2 from unnest($1::text[]) key order by key
      on conflict (key) do update set points = case when l.expire <= $3 then 1 else l.points + 1 end,
        expire = case when l.expire <= $3 then excluded.expire else l.expire end
      returning key, points, expire`,
    values: [Object.values(keys), now + GUESS_WINDOW_SECONDS * 1000, now],
  });
  return toCounts(keys, rows);
}

/** Reverts the count of a right guess, and forgets the wrong ones of its pair. */
export async function forgetGuesses({ system }: Database, { keys }: GuessSubject): Promise<void> {
  await system.query({
    name: 'forget-guesses',
    text: `with locked as materialized (select key from rate_limits where key = any($1) order by key for update)
      update rate_limits l set points = case when l.key = $2 then 0 else greatest(l.points - 1, 0) end
      from locked where l.key = locked.key`,
    values: [Object.values(keys), keys.pair],
  });
}

/** Remembers an address that an account is used from, replacing the oldest ones; none of a deleted account. */
export async function rememberAddress({ system }: Database, userId: string, digest: Buffer): Promise<void> {
  await system.query({
    name: 'remember-address',
    // The account is locked first, as in deleting it, which forgets its addresses afterwards.
    text: `with account as (select id from users where id = $1 and deleted_at is null for key share),
      forgotten as (
        delete from known_addresses where user_id = (select id from account) and digest <> $2 and (
          last_used_at < now() - interval '${KNOWN_ADDRESS_DAYS} days' or digest not in (
            select digest from known_addresses where user_id = $1 order by last_used_at desc limit ${KNOWN_ADDRESSES - 1}
          )
        )
      )
      insert into known_addresses as k (user_id, digest) select id, $2 from account
      on conflict (user_id, digest) do update set last_used_at = now()
      where k.last_used_at < now() - interval '1 day'`,
    values: [userId, digest],
  });
}

function toCounts(keys: GuessSubject['keys'], rows: readonly CountRow[]): GuessCounts {
  const numbers = (field: 'points' | 'expire'): WrongGuesses => {
    const of = (key: string) => rows.find((row) => row.key === key)?.[field] ?? 0;
    return { pair: of(keys.pair), account: of(keys.account), address: of(keys.address) };
  };
  return { wrong: numbers('points'), until: numbers('expire') };
}

/** A link, found by the public part of its token; the caller compares the secret. */
interface FoundPasswordLink extends Membership {
  readonly secretHash: Buffer;
}

interface NewPasswordLink extends Membership {
  readonly createdBy: string;
  readonly publicId: string;
  readonly secretHash: Buffer;
  readonly lifetimeSeconds: number;
}

/**
 * Creates a link for an account that the organization manages, replacing an earlier one; returns its expiry. `conflict`
 * for any other account, since the link's maker could sign in to it, and for a maker who has just lost the right to
 * make it.
 */
export async function makePasswordLink(database: Database, link: NewPasswordLink): Promise<Date> {
  return withSystemTransaction(database, async (transaction) => {
    await lockMaker(transaction, link);
    if (!(await isManagedBy(transaction, link)))
      throw new AppError('conflict', 'The organization does not manage this account; its user signs in by themselves');
    const { rows } = await transaction.query<{ expiresAt: Date }>(
      `insert into password_links (user_id, org_id, created_by, public_id, secret_hash, expires_at)
        values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')
        on conflict (user_id) do update set org_id = excluded.org_id, created_by = excluded.created_by,
          public_id = excluded.public_id, secret_hash = excluded.secret_hash, expires_at = excluded.expires_at, created_at = now()
        returning expires_at as "expiresAt"`,
      [link.userId, link.orgId, link.createdBy, link.publicId, link.secretHash, link.lifetimeSeconds],
    );
    return rows[0]?.expiresAt ?? new Date();
  });
}

/** Returns the unexpired link with this public part. */
export async function findPasswordLink({ system }: Database, publicId: string): Promise<FoundPasswordLink | undefined> {
  const { rows } = await system.query<FoundPasswordLink>({
    name: 'find-password-link',
    text: `select user_id as "userId", org_id as "orgId", secret_hash as "secretHash" from password_links
      where public_id = $1 and expires_at > now()`,
    values: [publicId],
  });
  return rows[0];
}

/**
 * Consumes a link and sets the password of its account; every session of the user ends. `not_found` when it was used or
 * replaced in the meantime, or the organization no longer manages the account.
 */
export async function usePasswordLink(
  database: Database,
  { userId, orgId, secretHash }: FoundPasswordLink,
  passwordHash: string,
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'delete from password_links where user_id = $1 and secret_hash = $2 and expires_at > now()',
      [userId, secretHash],
    );
    if (rowCount !== 1 || !(await isManagedBy(transaction, { userId, orgId }))) throw notFound('Link');
    await setPassword(transaction, userId, passwordHash);
  });
}

// Locked, so that no link is made while its maker is being removed; both memberships in the order of their ids, as in
// every change of them.
async function lockMaker(transaction: Transaction, { userId, orgId, createdBy }: NewPasswordLink): Promise<void> {
  const { rows } = await transaction.query<{ userId: string; isHigh: boolean }>(
    `select user_id as "userId", role in ('admin', 'owner') as "isHigh" from memberships
      where org_id = $1 and user_id = any($2::uuid[]) order by user_id for share`,
    [orgId, [userId, createdBy]],
  );
  if (rows.some((row) => row.userId === createdBy && row.isHigh)) return;
  throw roleHasChanged();
}

// A member or viewer of this organization and of no other. Locked, so that nobody is promoted in the meantime.
async function isManagedBy(transaction: Transaction, { userId, orgId }: Membership): Promise<boolean> {
  const { rows: accounts } = await transaction.query(
    'select from users where id = $1 and is_managed and managed_org_id = $2 for update',
    [userId, orgId],
  );
  const { rows: memberships } = await transaction.query<{ orgId: string; isHigh: boolean }>(
    `select org_id as "orgId", role in ('admin', 'owner') as "isHigh" from memberships where user_id = $1 for share`,
    [userId],
  );
  const [first, ...others] = memberships;
  return accounts.length === 1 && first?.orgId === orgId && !first.isHigh && others.length === 0;
}

/** Removes the links of an organization that a user has made, and with `alsoFor` those for their account. */
export async function removePasswordLinks(
  transaction: Transaction,
  { orgId, userId }: Membership,
  { alsoFor = false }: { readonly alsoFor?: boolean } = {},
): Promise<void> {
  await transaction.query(
    'delete from password_links where org_id = $1 and (created_by = $2 or ($3 and user_id = $2))',
    [orgId, userId, alsoFor],
  );
}
