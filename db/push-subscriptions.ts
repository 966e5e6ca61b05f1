import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../domain/core/app-error.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import { withSystemTransaction } from './core/transactions.ts';
import { isUniqueViolation } from './core/unavailable.ts';

/** Where a browser is notified, and the keys that encrypt for it (RFC 8291), in base64url. */
export interface PushAddress {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** A browser in which its user is notified. */
export interface PushSubscription {
  readonly id: string;
  readonly sessionId: string;
  readonly endpoint: string;
  /** The user agent of the browser; null when it sends none. */
  readonly userAgent: string | null;
  /** Why the last notification was not accepted; null if it was. */
  readonly error: string | null;
  readonly createdAt: Date;
}

/** The browser of a session. */
interface BrowserRef {
  readonly userId: string;
  readonly sessionId: string;
}

/** The most browsers in which a user is notified: another one replaces the oldest. */
const MAX_BROWSERS = 20;

const LIVE = 'push_subscriptions p join sessions s on s.id = p.session_id and s.expires_at > now()';

const SUBSCRIPTION = `p.id, p.session_id as "sessionId", p.endpoint, s.user_agent as "userAgent", p.error,
  p.created_at as "createdAt"`;

/**
 * Subscribes the browser of a session until the session ends. Replaces the former subscription of the session, and that
 * of a former user of the same browser. `conflict` when another browser has the endpoint, as its other keys show;
 * `forbidden` for the session of a device, which reaches one organization only.
 */
export async function subscribeBrowser(
  database: Database,
  { userId, sessionId }: BrowserRef,
  { endpoint, p256dh, auth }: PushAddress,
): Promise<PushSubscription> {
  const id = uuidv7();
  return withSystemTransaction(database, async (transaction) => {
    // The account is locked first, as where it is changed or deleted; its subscriptions are added one at a time.
    await transaction.query('select from users where id = $1 for no key update', [userId]);
    const { rowCount } = await transaction.query(
      `select from sessions where id = $1 and user_id = $2 and bound_org_id is null and revoked_at is null for share`,
      [sessionId, userId],
    );
    if (rowCount === 0) throw new AppError('forbidden', 'Only a browser that you are signed in with can be notified');
    await transaction.query(
      'delete from push_subscriptions where session_id = $1 or endpoint = $2 and p256dh = $3 and auth = $4',
      [sessionId, endpoint, p256dh, auth],
    );
    await transaction
      .query(
        `insert into push_subscriptions (id, user_id, session_id, endpoint, p256dh, auth)
          values ($1, $2, $3, $4, $5, $6)`,
        [id, userId, sessionId, endpoint, p256dh, auth],
      )
      .catch(rejectTakenEndpoint);
    await transaction.query(
      `delete from push_subscriptions where id in (
        select id from push_subscriptions where user_id = $1 order by id desc offset ${MAX_BROWSERS}
      )`,
      [userId],
    );
    const { rows } = await transaction.query<PushSubscription>(`select ${SUBSCRIPTION} from ${LIVE} where p.id = $1`, [
      id,
    ]);
    const [subscription] = rows;
    if (subscription === undefined) throw new Error('the subscription was not stored');
    return subscription;
  });
}

/** Throws a conflict when a statement failed because an endpoint is taken; rethrows every other error. */
function rejectTakenEndpoint(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new AppError('conflict', 'Another browser is notified at this endpoint', { cause: error });
}

/** Returns the browsers in which a user is notified, oldest first. */
export async function listPushSubscriptions(
  { system }: Database,
  userId: string,
  page: Page,
): Promise<Listed<PushSubscription>> {
  return readPage<PushSubscription>(async (statement) => (await system.query<PushSubscription>(statement)).rows, {
    name: 'list-push-subscriptions',
    columns: SUBSCRIPTION,
    bytes: '400 + octet_length(p.endpoint) + coalesce(octet_length(s.user_agent), 0)',
    source: `from ${LIVE} where p.user_id = $1`,
    order: 'p.id',
    values: [userId],
    page,
  });
}

/** Ends a subscription of a user. */
export async function deletePushSubscription({ system }: Database, userId: string, id: string): Promise<void> {
  const { rowCount } = await system.query('delete from push_subscriptions where id = $1 and user_id = $2', [
    id,
    userId,
  ]);
  if (rowCount === 0) throw notFound('Push subscription');
}

/** Returns the address of a user's subscription; undefined when it has ended. */
export async function findPushAddress(
  { system }: Pick<Database, 'system'>,
  userId: string,
  id: string,
): Promise<PushAddress | undefined> {
  const { rows } = await system.query<PushAddress>({
    name: 'find-push-address',
    text: `select p.endpoint, p.p256dh, p.auth from ${LIVE} where p.id = $1 and p.user_id = $2`,
    values: [id, userId],
  });
  return rows[0];
}

/** Records the result of a notification; ends the subscription when its browser is gone. */
export async function notePushed(
  { system }: Pick<Database, 'system'>,
  id: string,
  { isGone, error }: { readonly isGone: boolean; readonly error: string | null },
): Promise<void> {
  await system.query(
    isGone
      ? { name: 'end-push-subscription', text: 'delete from push_subscriptions where id = $1', values: [id] }
      : {
          name: 'note-pushed',
          text: 'update push_subscriptions set error = $2 where id = $1 and error is distinct from $2',
          values: [id, error],
        },
  );
}
