import type { TenantDatabase } from '../core/database.ts';

/**
 * Returns the integrations that mail what waits in an organization, as a part of a statement in SQL: those of SMTP that
 * belong to an administrator, since their servers read links that decide in the name of others.
 */
export const mailServicesOf = (orgId: string): string => `from integrations i
  join memberships m on m.org_id = i.org_id and m.user_id = i.owner_id
  where i.org_id = ${orgId} and i.kind = 'smtp' and m.role in ('owner', 'admin')`;

/** Returns the id of the integration that mails what waits: the oldest. Undefined when there is none. */
export async function findMailService({ tenant }: TenantDatabase, orgId: string): Promise<string | undefined> {
  const [row] = await tenant.query<{ readonly id: string }>(orgId, {
    name: 'find-mail-service',
    text: `select i.id ${mailServicesOf('$1')} order by i.id limit 1`,
    values: [orgId],
  });
  return row?.id;
}
