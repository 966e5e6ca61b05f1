import type { TenantDatabase } from '../core/index.ts';
import type { TurnAccount } from './for-turn.ts';

const MAX_ACCOUNTS = 100;

/** Returns the live accounts that serve everybody in the organization, oldest first, the first 100. */
export async function listSharedAccounts({ tenant }: TenantDatabase, orgId: string): Promise<readonly TurnAccount[]> {
  return tenant.query<TurnAccount>(orgId, {
    name: 'list-shared-accounts',
    text: `select id, org_id as "orgId", provider_type as "providerType", name, credentials, model_name as "modelName",
        base_url as "baseUrl", cooldown_seconds as "cooldownSeconds", cooldown_until as "cooldownUntil",
        disabled_reason as "disabledReason", last_used_at as "lastUsedAt",
        last_failed_at is not null as "hasFailed"
      from provider_accounts where org_id = $1 and shared and deleted_at is null order by id limit ${MAX_ACCOUNTS}`,
    values: [orgId],
  });
}
