import { GUESS_WINDOW_SECONDS, KNOWN_ADDRESS_DAYS, KNOWN_ADDRESSES, type WrongGuesses } from '../../domain/auth.ts';
import type { Database } from '../core/database.ts';

/** The attempt to present a password: the keys of its counters, and the digest of account and address. */
export interface GuessSubject {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly keys: Readonly<Record<keyof WrongGuesses, string>>;
  readonly digest: Buffer;
}

/** The facts that decide about a guess before the password is checked. */
export interface GuessState {
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
export async function lookAtGuess({ system }: Database, { email, keys, digest }: GuessSubject): Promise<GuessState> {
  const { rows } = await system.query<
    Pick<GuessState, 'passwordHash' | 'isKnownAddress'> & { userId: string | null; counts: CountRow[] }
  >({
    name: 'look-at-guess',
    text: `select u.id as "userId", p.hash as "passwordHash", exists (
        select from known_addresses k
        where k.user_id = u.id and k.digest = $2 and k.last_used_at > now() - interval '${KNOWN_ADDRESS_DAYS} days'
      ) as "isKnownAddress", coalesce((
        select json_agg(json_build_object('key', key, 'points', points, 'expire', expire))
        from rate_limits where key = any($3) and expire > $4
      ), '[]') as counts
      from (select $1::text as email) sent
      left join users u on u.email = sent.email left join user_passwords p on p.user_id = u.id`,
    values: [email, digest, Object.values(keys), Date.now()],
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

/** Takes back the count of a right guess, and forgets the wrong ones of its pair. */
export async function forgetGuesses({ system }: Database, { keys }: GuessSubject): Promise<void> {
  await system.query({
    name: 'forget-guesses',
    text: `with locked as materialized (select key from rate_limits where key = any($1) order by key for update)
      update rate_limits l set points = case when l.key = $2 then 0 else greatest(l.points - 1, 0) end
      from locked where l.key = locked.key`,
    values: [Object.values(keys), keys.pair],
  });
}

/** Remembers an address that an account is used from, in place of the oldest ones; none of a deleted account. */
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
