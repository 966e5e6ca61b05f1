import type { Policy } from '../../domain/permissions/policy.ts';
import { restrictAccounts } from '../../domain/permissions/restrict.ts';
import { DEMO_TYPE } from '../../domain/provider-chains.ts';
import type { TenantDatabase } from '../core/database.ts';
import type { TurnPart } from '../turns/claim/turn-parts.ts';

/** An account with its credentials still encrypted. */
export interface TurnAccount {
  readonly id: string;
  readonly orgId: string;
  readonly providerType: string;
  readonly name: string;
  readonly credentials: Buffer | null;
  readonly modelName: string | null;
  readonly baseUrl: string | null;
  readonly cooldownSeconds: number;
  readonly cooldownUntil: Date | null;
  readonly disabledReason: string | null;
  readonly lastUsedAt: Date | null;
  /** Whether the last call that is known of failed. */
  readonly hasFailed: boolean;
}

/** The provider accounts of a turn. */
export interface TurnAccounts {
  /** The live accounts that may be used, shared ones and the user's own, oldest first. */
  readonly usable: readonly TurnAccount[];
  /** Whether the organization has accounts of real models, but no shared one and none of the user's own. */
  readonly hasOthersOnly: boolean;
}

interface UsableAccountRow extends Omit<TurnAccount, 'credentials' | 'cooldownUntil' | 'lastUsedAt'> {
  readonly userId: string | null;
  readonly hasOthersOnly: boolean;
  /** In base64: JSON has no bytes. */
  readonly credentials: string | null;
  /** Text in JSON. */
  readonly cooldownUntil: Date | string | null;
  readonly lastUsedAt: Date | string | null;
}

/** The only row when there are no accounts. */
interface NoAccountRow {
  readonly id: null;
  readonly hasOthersOnly: boolean;
}

/** The limits on shared accounts and on the user's own: neither hides the other. */
const MAX_ACCOUNTS = 100;

// Others' accounts are searched only where they matter: when the user may use no real model.
const ACCOUNTS = `with usable as (
    (select * from provider_accounts where org_id = c.org_id and shared and deleted_at is null order by id limit ${MAX_ACCOUNTS})
    union all
    (select * from provider_accounts where org_id = c.org_id and not shared and deleted_at is null
      and user_id = c.user_id order by id limit ${MAX_ACCOUNTS})
  )
  select u.id, u.org_id as "orgId", u.user_id as "userId", u.provider_type as "providerType", u.name,
    encode(u.credentials, 'base64') as credentials,
    u.model_name as "modelName", u.base_url as "baseUrl", u.cooldown_seconds as "cooldownSeconds",
    u.cooldown_until as "cooldownUntil", u.disabled_reason as "disabledReason", u.last_used_at as "lastUsedAt",
    u.last_failed_at is not null as "hasFailed", others."hasOthersOnly"
  from (
    select case when exists (select from usable where provider_type <> '${DEMO_TYPE}') then false else exists (
      select from provider_accounts
      where org_id = c.org_id and not shared and deleted_at is null and provider_type <> '${DEMO_TYPE}'
    ) end as "hasOthersOnly"
  ) others left join usable u on true
  order by u.id`;

const ACCOUNTS_OF_CHAT = `select r.* from chats c cross join lateral (${ACCOUNTS}) r where c.id = $1 order by r.id`;

/** The accounts that may answer: those that the user may use, up to the user's limit. */
export const accountsForTurn: TurnPart<UsableAccountRow | NoAccountRow, TurnAccounts> = {
  text: ACCOUNTS,
  of: (rows, { userId, policy }) => {
    const accounts = rows.filter((row): row is UsableAccountRow => row.id !== null);
    const allowed = policy === null ? [] : restrictAccounts(policy, userId, accounts);
    return { usable: allowed.map(toAccount), hasOthersOnly: rows[0]?.hasOthersOnly ?? false };
  },
};

function toAccount({ userId: _owner, hasOthersOnly: _others, ...row }: UsableAccountRow): TurnAccount {
  const { credentials, cooldownUntil, lastUsedAt } = row;
  return {
    ...row,
    credentials: credentials === null ? null : Buffer.from(credentials, 'base64'),
    cooldownUntil: cooldownUntil === null ? null : new Date(cooldownUntil),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  };
}

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

/** The user, working in a chat, whose usable accounts are searched. */
export interface AccountUser {
  readonly orgId: string;
  readonly chatId: string;
  readonly userId: string;
  readonly policy: Policy | null;
}

/** Returns the accounts that may answer a turn of the user in the chat, oldest first. */
export async function listUsableAccounts(
  { tenant }: TenantDatabase,
  { orgId, chatId, ...member }: AccountUser,
): Promise<readonly TurnAccount[]> {
  const statement = { name: 'usable-accounts', text: ACCOUNTS_OF_CHAT, values: [chatId] };
  return accountsForTurn.of(await tenant.query(orgId, statement), member).usable;
}
