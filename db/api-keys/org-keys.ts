import type { Role } from '../../domain/permissions/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { IS_LIVE_KEY, SHOWN_KEY, type ShownApiKey } from './api-keys.ts';

/** A key with its holder. */
interface MemberKey extends ShownApiKey {
  readonly email: string;
}

/** Returns the keys of all members of the organization, oldest first. */
export async function listOrgKeys({ tenant }: Database, orgId: string, page: Page): Promise<Listed<MemberKey>> {
  return readPage<MemberKey>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-org-keys',
    columns: `${SHOWN_KEY}, u.email`,
    bytes: '500 + octet_length(k.name) + octet_length(u.email)',
    source: `from api_keys k join users u on u.id = k.user_id
      where k.org_id = $1 and ${IS_LIVE_KEY}`,
    order: 'k.id',
    values: [orgId],
    page,
  });
}

/** Returns the holder of a key and their role in the organization; `not_found` when there is no such key. */
export async function findKeyHolder(
  { tenant }: Database,
  { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
): Promise<{ userId: string; role: Role }> {
  const [holder] = await tenant.query<{ userId: string; role: Role }>(orgId, {
    name: 'find-key-holder',
    text: `select m.user_id as "userId", m.role from api_keys k
      join memberships m on m.org_id = k.org_id and m.user_id = k.user_id where k.org_id = $1 and k.id = $2`,
    values: [orgId, keyId],
  });
  if (holder === undefined) throw notFound('API key');
  return holder;
}
