import { type AskableMember, findMembers } from '../approvals/find-members.ts';
import type { ReceivingChannel } from './channels.ts';
import type { TenantDatabase } from '../core/database.ts';

/** Returns the account of a sender; undefined for a stranger. `emailOf` returns the address that is confirmed. */
export async function findSender(
  { database }: { readonly database: TenantDatabase },
  { orgId, people, matchesEmail }: Pick<ReceivingChannel, 'orgId' | 'people' | 'matchesEmail'>,
  sender: string,
  emailOf: () => Promise<string | undefined>,
): Promise<AskableMember | undefined> {
  const known = new Map(Object.entries(people)).get(sender);
  if (known !== undefined) return (await findMembers(database, orgId, [known]))[0];
  const email = matchesEmail ? await emailOf() : undefined;
  if (email === undefined) return undefined;
  // Members choose the address of their profile themselves, and so might take that of somebody else.
  return (await findMembers(database, orgId, [email])).find(
    (member) => member.email === email && member.isKnownByEmail,
  );
}
