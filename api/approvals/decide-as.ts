import type { EditableApproval } from '../../db/approvals/approvals.ts';
import type { Recipient } from '../../db/notifications/find-recipient.ts';
import { actionOf } from '../../domain/audit.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { type AuditEvent, NOBODY } from '../auditing/audited-caller.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';
import { decide, type Decision } from './decide.ts';

/** A decision by somebody without credentials of their own, and how they are identified. */
export interface Attempt {
  readonly orgId: string;
  readonly userId: string;
  readonly approvalId: string;
  /** `token`: by the link of a mail; `channel`: by the message of a channel. */
  readonly by: 'token' | 'channel';
  readonly ip: string;
}

/** Decides as somebody who was notified of what waits, with their rights of this moment. Throws as `decide` does. */
export async function decideAs(
  context: ApiContext,
  recipient: Recipient,
  attempt: Attempt,
  decision: Decision,
): Promise<EditableApproval> {
  try {
    const decided = await decide(context, callerOf(recipient), attempt.approvalId, decision);
    const fields = [attempt.by, ...Object.keys(decision)];
    await context.audit.changed({ ...eventOf(attempt), outcome: 'success', status: 200, fields });
    return decided;
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') auditDenial(context, attempt);
    throw error;
  }
}

/** Records in the audit log that somebody was not allowed to decide. */
export function auditDenial({ audit }: Pick<ApiContext, 'audit'>, attempt: Attempt): void {
  audit.denied({ ...eventOf(attempt), outcome: 'denied', status: 403 });
}

/** Explains to the person who decided why it did not count; undefined for a fault of the server. */
export function problemOf(error: unknown): string | undefined {
  if (error instanceof AppError) return error.message;
  if (!(error instanceof InvalidRequest)) return undefined;
  return 'Your answer is empty, too long, or none of those that are offered.';
}

function callerOf({ orgId, userId, role, policy, policyVersion }: Recipient): OrgCaller {
  return { orgId, userId, role, policy, policyVersion, ...NO_CREDENTIAL };
}

// It may do no more than a managed account.
const NO_CREDENTIAL = { isManaged: true, sessionId: undefined, keyId: undefined, expiresAt: undefined };

/** Its name in the audit log: neither the page of a link nor a message is a route. */
const DECIDED = { method: 'post', resource: 'approvals', action: 'decide' } as const;

function eventOf({
  orgId,
  userId: actorId,
  approvalId: recordId,
  by,
  ip,
}: Attempt): Omit<AuditEvent, 'outcome' | 'status'> {
  const { resource: recordType } = DECIDED;
  return {
    ...NOBODY,
    actorId,
    orgId,
    action: actionOf(DECIDED),
    recordType,
    recordId,
    relatedIds: [],
    fields: [by],
    ip,
  };
}
