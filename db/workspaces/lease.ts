import type { TenantDatabase } from '../core/index.ts';
import type { WorkspacePlace } from './contents.ts';

/** How long a lease lasts unless it is renewed: what the death of its holder costs the next one. */
const LEASE = "interval '10 seconds'";

/** A worker that changes a workspace, and stores its snapshots meanwhile. */
export interface Lease extends WorkspacePlace {
  /** Different for each lease. */
  readonly holder: string;
}

/** Returns the version of a workspace's snapshot; 0 while there is none. */
export async function findWorkspaceVersion(
  { tenant }: TenantDatabase,
  { orgId, chatId }: WorkspacePlace,
): Promise<number> {
  const [row] = await tenant.query<{ version: number }>(orgId, {
    name: 'workspace-version',
    text: 'select version from workspaces where chat_id = $1',
    values: [chatId],
  });
  return row?.version ?? 0;
}

/**
 * Takes the lease of a workspace and returns the version of its snapshot; undefined while another worker holds it, and
 * when the chat is gone. Safe to repeat.
 */
export async function takeLease(
  { tenant }: TenantDatabase,
  { orgId, chatId, holder }: Lease,
): Promise<number | undefined> {
  const [row] = await tenant.query<{ version: number }>(orgId, {
    name: 'take-workspace-lease',
    text: `insert into workspaces as w (chat_id, org_id, holder, held_until)
        select id, org_id, $2, now() + ${LEASE} from chats where id = $1
      on conflict (chat_id) do update set holder = excluded.holder, held_until = excluded.held_until
        where w.holder is null or w.holder = excluded.holder or w.held_until < now()
      returning version`,
    values: [chatId, holder],
  });
  return row?.version;
}

/** Renews a lease, which then lasts another ten seconds. One that another worker has taken over stays theirs. */
export async function renewLease({ tenant }: TenantDatabase, { orgId, chatId, holder }: Lease): Promise<void> {
  await tenant.query(orgId, {
    name: 'renew-workspace-lease',
    text: `update workspaces set held_until = now() + ${LEASE} where chat_id = $1 and holder = $2`,
    values: [chatId, holder],
  });
}

/** Gives a lease back. Safe to repeat. */
export async function endLease({ tenant }: TenantDatabase, { orgId, chatId, holder }: Lease): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-workspace-lease',
    text: 'update workspaces set holder = null, held_until = null where chat_id = $1 and holder = $2',
    values: [chatId, holder],
  });
}
