import type { ApprovalReader } from '../../db/approvals/index.ts';
import { allowedIds } from '../../domain/permissions/index.ts';
import { readerOf } from '../chats/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** Returns a caller as a reader of approvals. */
export function approvalReaderOf(caller: OrgCaller): ApprovalReader {
  return { ...readerOf(caller), allowedAgentIds: allowedIds(caller.policy, 'agentIds') };
}
