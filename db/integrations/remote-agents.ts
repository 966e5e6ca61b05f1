import type { TenantDatabase } from '../core/database.ts';

/** An agent of another platform, as agents here that may delegate to it see it. */
export interface RemoteCandidate {
  readonly name: string;
  readonly description: string;
}

const MAX_LISTED = 100;

/** Returns the agents of other platforms that the organization has registered, oldest first. */
export async function listRemoteCandidates(
  { tenant }: TenantDatabase,
  orgId: string,
): Promise<readonly RemoteCandidate[]> {
  return tenant.query<RemoteCandidate>(orgId, {
    name: 'list-remote-candidates',
    text: `select name, coalesce(settings ->> 'description', '') as description from integrations
      where org_id = $1 and kind = 'a2a' order by id limit ${MAX_LISTED}`,
    values: [orgId],
  });
}
