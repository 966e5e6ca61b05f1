/**
 * Work that rows hold and a workflow does. The rows say what is to be done and when; the workflow reads them whenever
 * it is woken.
 */
export type DueWork =
  | { readonly kind: 'repo-tree'; readonly orgId: string; readonly projectId: string }
  | { readonly kind: 'document'; readonly orgId: string; readonly knowledgeBaseId: string; readonly documentId: string }
  | { readonly kind: 'embedding'; readonly orgId: string; readonly knowledgeBaseId: string }
  | { readonly kind: 'webhook'; readonly orgId: string; readonly targetId: string }
  | { readonly kind: 'issue-push'; readonly orgId: string; readonly projectId: string }
  | { readonly kind: 'issue-sync'; readonly orgId: string; readonly projectId: string; readonly syncId: string }
  | { readonly kind: 'file-text'; readonly orgId: string; readonly fileId: string }
  | { readonly kind: 'task'; readonly orgId: string; readonly taskId: string }
  | { readonly kind: 'marketplace-index'; readonly indexId: string }
  | { readonly kind: 'messages' };

/** Messages that the search does not know yet, of any organization. */
export const NEW_MESSAGES: DueWork = { kind: 'messages' };
