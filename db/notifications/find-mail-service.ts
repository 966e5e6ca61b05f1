import type { TenantDatabase } from '../core/database.ts';

/**
 * Returns the id of the integration that mails what waits: the oldest of SMTP that belongs to an administrator, since
 * its server reads links that decide in the name of others. Undefined when there is none.
 */
export async function findMailService({ tenant }: TenantDatabase, orgId: string): Promise<string | undefined> {
  const [row] = await tenant.query<{ readonly id: string }>(orgId, {
    name: 'find-mail-service',
    text: `select i.id from integrations i join memberships m on m.org_id = i.org_id and m.user_id = i.owner_id
      where i.org_id = $1 and i.kind = 'smtp' and m.role in ('owner', 'admin') order by i.id limit 1`,
    values: [orgId],
  });
  return row?.id;
}
