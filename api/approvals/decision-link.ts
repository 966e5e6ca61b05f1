import { z } from 'zod';
import { approvalReaderOf, type EditableApproval, findApproval } from '../../db/approvals/approvals.ts';
import { type DecisionLink, openDecisionLink } from '../../db/notifications/decision-link.ts';
import { findRecipient, type Recipient } from '../../db/notifications/find-recipient.ts';
import { readBackground } from '../../db/notifications/read-background.ts';
import { hasApproved } from '../../domain/approvals.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { type Background, inboxLink } from '../../domain/shown-approval.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { Decision } from './decide.ts';
import { type Attempt, auditDenial, decideAs, problemOf } from './decide-as.ts';
import { decisionSchema } from './schema.ts';

/** Where the links of mails lead. */
export const DECISION_PATH = '/decide';

/** An approval that is shown to the person of a link. */
export interface Shown {
  readonly outcome: 'waits' | 'decided';
  readonly approval: EditableApproval;
  readonly recipient: Recipient;
  readonly background: Background;
  readonly token: string;
  readonly link: DecisionLink;
  /** Why what was sent did not count. */
  readonly problem?: string;
}

/** The page for somebody who has opened a link of a mail. */
export type LinkAnswer =
  /** Not a link of this server, expired, or its person may not decide any more. */
  | { readonly outcome: 'unknown' | 'expired' }
  | { readonly outcome: 'forbidden'; readonly link: DecisionLink }
  /** The organization wants a sign-in. */
  | { readonly outcome: 'sign_in'; readonly address: string; readonly link: DecisionLink }
  | Shown;

const querySchema = z.object({ token: z.string().min(1).max(2_000) });
const formSchema = z.object({
  token: querySchema.shape.token,
  decision: z.enum(['approve', 'deny']),
  note: decisionSchema.shape.note,
  answer: z.string().max(10_000).optional(),
});

/** Answers somebody who opens a link. Scanners of mails do it too, so it changes nothing. */
export async function showLink(query: unknown, context: ApiContext): Promise<LinkAnswer> {
  const { data } = querySchema.safeParse(query);
  return data === undefined ? { outcome: 'unknown' } : resolve(data.token, context);
}

/** Accepts the decision that the page of a link has sent. The token authorizes it; no cookie does. */
export async function decideByLink(form: unknown, ip: string, context: ApiContext): Promise<LinkAnswer> {
  const { data } = formSchema.safeParse(form);
  if (data === undefined) return { outcome: 'unknown' };
  const shown = await resolve(data.token, context);
  if (shown.outcome === 'waits') return take(shown, { given: data, ip }, context);
  if (shown.outcome === 'forbidden' || shown.outcome === 'sign_in') auditDenial(context, attemptOf(shown.link, ip));
  return shown;
}

interface Sent {
  readonly given: z.infer<typeof formSchema>;
  readonly ip: string;
}

async function take(shown: Shown, { given, ip }: Sent, context: ApiContext): Promise<LinkAnswer> {
  const { approval, recipient, link, token } = shown;
  try {
    const decided = await decideAs(context, recipient, attemptOf(link, ip), decisionOf(given, approval));
    return { ...shown, outcome: 'decided', approval: decided };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    // Somebody else may have been faster.
    const now = await resolve(token, context);
    return 'approval' in now ? { ...now, problem } : now;
  }
}

function attemptOf({ orgId, userId, approvalId }: DecisionLink, ip: string): Attempt {
  return { orgId, userId, approvalId, by: 'token', ip };
}

// An answer that cannot be one is left out, and missed by what checks the decision.
function decisionOf({ decision, note, answer }: Sent['given'], { question }: EditableApproval): Decision {
  const approve = decision === 'approve';
  if (question === null || !approve) return { approve, note };
  // Browsers send the ends of lines as two characters.
  const { data } = decisionSchema.shape.answer.safeParse(answer?.replaceAll('\r\n', '\n'));
  return { approve, note, ...(data !== undefined && { answer: data }) };
}

async function resolve(token: string, context: ApiContext): Promise<LinkAnswer> {
  const { database, box, publicUrl } = context;
  const link = openDecisionLink(box, token, 'mail');
  if (link === undefined) return { outcome: 'unknown' };
  if (link.expiresAt.getTime() <= Date.now()) return { outcome: 'expired' };
  const recipient = await findRecipient(database, link);
  if (recipient?.wantsMail !== true || !policyAllows(recipient.policy, 'approvals.manage'))
    return { outcome: 'forbidden', link };
  if (recipient.approvalsSignIn) return { outcome: 'sign_in', address: inboxLink(publicUrl, link), link };
  const approval = await findApproval(database, approvalReaderOf(recipient), link.approvalId);
  const background = approval && (await readBackground(database, link.orgId, approval.chatId));
  if (approval === undefined || background === undefined) return { outcome: 'forbidden', link };
  const waits = approval.status === 'pending' && !hasApproved(approval, link.userId);
  return { outcome: waits ? 'waits' : 'decided', approval, recipient, background, token, link };
}
