import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Database } from './core/database.ts';
import { type SecretBox, SecretColumn } from './core/secret-box.ts';

/** The identity of a database. */
export interface Installation {
  readonly installationId: string;
  /** Distinguishes the database from a copy with the same id: the identifier of its cluster, and its own in there. */
  readonly databaseId: string;
}

/** Returns the installation that a database belongs to. */
export async function readInstallation({ system }: Database): Promise<Installation> {
  const { rows } = await system.query<Installation>(
    `select i.id as "installationId", c.system_identifier || '/' || d.oid as "databaseId"
      from installation i, pg_control_system() c, pg_database d where d.datname = current_database()`,
  );
  const [installation] = rows;
  if (installation === undefined) throw new Error('the row of the table installation is missing');
  return installation;
}

/** Returns the id of the Temporal namespace that knows what the rows say it does; null while there is none. */
export async function readNotedNamespace({ system }: Database): Promise<string | null> {
  const { rows } = await system.query<{ namespaceId: string | null }>({
    name: 'read-noted-namespace',
    text: 'select namespace_id as "namespaceId" from installation',
  });
  return rows[0]?.namespaceId ?? null;
}

/** Records the id of the Temporal namespace that is kept in step with the rows. */
export async function noteNamespace({ system }: Database, namespaceId: string): Promise<void> {
  await system.query({
    name: 'note-namespace',
    text: 'update installation set namespace_id = $1 where namespace_id is distinct from $1',
    values: [namespaceId],
  });
}

/** Records that no Temporal namespace is known to be in step with the rows. */
export async function forgetNamespace({ system }: Database): Promise<void> {
  await system.query({ name: 'forget-namespace', text: 'update installation set namespace_id = null' });
}

/** Encrypts the key that signs notifications to browsers. An installation belongs to no organization but itself. */
export const pushKeySecrets = new SecretColumn('installation');

/** The key pair that signs notifications to browsers: they are subscribed with its public half (RFC 8292). */
export interface PushKey {
  /** The point on the curve, uncompressed, in base64url. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Returns the key that signs notifications to browsers; it is made when it is first asked for, and then stays. */
export async function readPushKey({ system }: Pick<Database, 'system'>, box: SecretBox): Promise<PushKey> {
  const { rows } = await system.query<{ id: string; sealed: Buffer | null }>({
    name: 'read-push-key',
    text: 'select id, push_key as sealed from installation',
  });
  const [{ id, sealed } = { id: '', sealed: null }] = rows;
  const row = { orgId: id, id };
  return pushKeyOf(pushKeySecrets.open(box, row, sealed ?? (await storePushKey({ system }, box, row))));
}

/** Stores a new key unless there is one by now; returns the one that is stored. */
async function storePushKey(
  { system }: Pick<Database, 'system'>,
  box: SecretBox,
  row: { readonly orgId: string; readonly id: string },
): Promise<Buffer> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sealed = pushKeySecrets.seal(box, row, JSON.stringify(privateKey.export({ format: 'jwk' })));
  const { rows } = await system.query<{ sealed: Buffer }>(
    'update installation set push_key = coalesce(push_key, $1) returning push_key as sealed',
    [sealed],
  );
  const [stored] = rows;
  if (stored === undefined) throw new Error('the row of the table installation is missing');
  return stored.sealed;
}

function pushKeyOf(jwk: string): PushKey {
  const key = JSON.parse(jwk) as JsonWebKey;
  const [x = '', y = ''] = [key.x, key.y];
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key, format: 'jwk' }) };
}
