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

/** Returns, in SQL, what all organizations of an organization's owner hold together. */
export function heldByOwner(orgId: string, what: Held): string {
  return `held_by_owner(${orgId}, '${what}')`;
}

/**
 * Returns a statement that blocks all who lock the same for an organization of the same owner, until the transaction
 * has ended. What is counted is read by a statement after it, whose snapshot is newer than the lock.
 */
export function lockForOwner(orgId: string, what: string): string {
  return `select lock_for_owner(${orgId}, ${what})`;
}
