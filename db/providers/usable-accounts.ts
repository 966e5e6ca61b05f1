import type { Policy } from '../../domain/permissions/index.ts';
import type { TenantDatabase } from '../core/index.ts';
import { accountsForTurn, type TurnAccount } from './for-turn.ts';

/** Whose accounts are looked for: those that a user may use who works in a chat. */
interface AccountUser {
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
  const { text, of } = accountsForTurn;
  return of(await tenant.query(orgId, { name: 'usable-accounts', text, values: [chatId, orgId] }), member).usable;
}
