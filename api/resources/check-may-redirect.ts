import { AppError } from '../../domain/core/app-error.ts';
import { mayRedirect } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** Rejects a change of a record that decides which server the agents of others reach; see `mayRedirect`. */
export function checkMayRedirect(
  { policy, userId }: OrgCaller,
  record: { readonly ownerId: string | null },
  what: 'integration' | 'MCP server' | 'tool',
): void {
  if (mayRedirect(policy, userId, record)) return;
  throw new AppError(
    'forbidden',
    `Somebody else has added this ${what}: only they, administrators and members who are granted this by a permission group may change it`,
  );
}
