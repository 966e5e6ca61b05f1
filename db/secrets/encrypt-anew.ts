import { type Database, type SecretBox, UnreadableSecret } from '../core/index.ts';
import { STORED_SECRETS } from './stored-secrets.ts';

/** The secrets of one kind that were encrypted with one key. */
export interface SecretsOfKey {
  readonly kind: string;
  /** The id of the key, in hexadecimal. */
  readonly keyId: string;
  readonly count: number;
}

/** What encrypting anew has done with the secrets of a kind. */
export interface EncryptedAnew {
  readonly kind: string;
  readonly encrypted: number;
  /** Those whose key is missing, or that are damaged: they stay as they are. */
  readonly unreadable: number;
}

type System = Pick<Database, 'system'>;

/** Rows that are read at once. */
const BATCH = 200;

/** Counts all stored secrets by kind and key. */
export async function countByKey({ system }: System): Promise<SecretsOfKey[]> {
  const counts = STORED_SECRETS.map(
    ({ kind, table, column }) =>
      `select '${kind}' as kind, encode(substring(${column} from 1 for 4), 'hex') as "keyId", count(*)::int as count
        from ${table} where ${column} is not null group by 2`,
  );
  const { rows } = await system.query<SecretsOfKey>(`${counts.join(' union all ')} order by 1, 2`);
  return rows;
}

/**
 * Encrypts stored secrets with the first key of `SECRET_KEY` that were encrypted with another one. May run while the
 * service does, and again after a crash: a secret that was replaced meanwhile stays the new one, and a renewal that is
 * under way replaces what was encrypted anew.
 */
export async function encryptAnew(database: System, box: SecretBox): Promise<EncryptedAnew[]> {
  const done: EncryptedAnew[] = [];
  for (const stored of STORED_SECRETS)
    done.push({ kind: stored.kind, ...(await encryptColumn(database, box, stored)) });
  return done.filter(({ encrypted, unreadable }) => encrypted + unreadable > 0);
}

interface SealedSecret {
  readonly id: string;
  readonly orgId: string;
  readonly owner: string;
  readonly sealed: Buffer;
}

async function encryptColumn(
  { system }: System,
  box: SecretBox,
  { table, column, encryption, owner = 'id' }: (typeof STORED_SECRETS)[number],
): Promise<{ readonly encrypted: number; readonly unreadable: number }> {
  const [current = ''] = box.keyIds;
  let [encrypted, unreadable, after] = [0, 0, '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await system.query<SealedSecret>(
      `select id, org_id as "orgId", ${owner} as owner, ${column} as sealed from ${table}
        where id > $1 and ${column} is not null and encode(substring(${column} from 1 for 4), 'hex') <> $2
        order by id limit ${BATCH}`,
      [after, current],
    );
    for (const { id, orgId, owner: ownerId, sealed } of rows) {
      const row = { orgId, id: ownerId };
      const secret = read(() => encryption.open(box, row, sealed));
      if (secret === undefined) unreadable += 1;
      else {
        const { rowCount } = await system.query(`update ${table} set ${column} = $3 where id = $1 and ${column} = $2`, [
          id,
          sealed,
          encryption.seal(box, row, secret),
        ]);
        encrypted += rowCount ?? 0;
      }
    }
    if (rows.length < BATCH) return { encrypted, unreadable };
    after = rows.at(-1)?.id ?? after;
  }
}

function read(open: () => string): string | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}
