/** What is bounded by a total that is kept: a name that `held_by_owner` knows. */
type Held =
  | 'message_bytes'
  | 'chats'
  | 'chats_made'
  | 'work_bytes'
  | 'upload_bytes'
  | 'file_bytes'
  | 'replaced_file_bytes'
  | 'knowledge_bytes'
  | 'definition_bytes';

/** Totals that `org_usage` has, which each new chat and each message asks for. */
const IN_USAGE: ReadonlySet<Held> = new Set(['message_bytes', 'chats', 'chats_made']);

/**
 * Returns, in SQL, what all organizations of an organization's owner hold together. Most owners have one, and reading
 * the usage of one costs half as much as the function.
 */
export function heldByOwner(orgId: string, what: Held): string {
  if (!IN_USAGE.has(what)) return `held_by_owner(${orgId}, '${what}')`;
  return `(select case when owns_several(o.id) then held_by_owner(o.id, '${what}')
      else coalesce((select ${what} from org_usage where org_id = o.id), 0) end
    from (select ${orgId}::uuid as id) o)`;
}

/**
 * Returns a statement that blocks all who lock the same for an organization of the same owner, until the transaction
 * has ended. What is counted is read by a statement after it, whose snapshot is newer than the lock.
 */
export function lockForOwner(orgId: string, what: string): string {
  return `select lock_for_owner(${orgId}, ${what})`;
}
