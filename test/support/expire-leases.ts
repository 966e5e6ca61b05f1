import type { Database } from '../../db/core/database.ts';

/** Lets the leases run out under which workers hold turns and workspaces: of those that are gone, or stand still. */
export async function expireLeases({ system }: Database): Promise<void> {
  await system.query("update turns set lease_until = now() - interval '1 second' where lease_until > now()");
  await system.query("update workspaces set lease_until = now() - interval '1 second' where lease_until > now()");
}
