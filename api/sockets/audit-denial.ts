import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import type { Credential } from '../access/bearer.ts';
import type { ApiContext } from '../context/api-context.ts';
import { attributeCredential, auditedCaller, DENIED, NOBODY } from '../auditing/audited-caller.ts';
import { problemOf } from '../http/problem.ts';

/** An attempted action over a socket. */
interface Attempt {
  /** The caller, or the credential of somebody whose token is invalid. */
  readonly by: Parameters<typeof auditedCaller>[0] | { readonly credential: Credential };
  /** The subject of the socket; an id that is none is left out. */
  readonly record: { readonly type: 'chats' | 'orgs'; readonly id: string | undefined };
  /** The address that the request came from. */
  readonly ip: string;
  /** The same action name as that of the corresponding route. */
  readonly action: 'chats.view' | 'chats.stream' | 'chats.interrupt' | 'orgs.view_events';
}

/** Records a denied attempt in the audit log. Other failures are ignored. */
export async function auditDenial(
  { audit, tokens }: Pick<ApiContext, 'audit' | 'tokens'>,
  { by, record, ip, action }: Attempt,
  error: unknown,
): Promise<void> {
  const status = problemOf(error)?.status ?? 0;
  if (!(error instanceof AppError) || !DENIED.has(status)) return;
  const known =
    'credential' in by ? { ...NOBODY, ...(await attributeCredential(tokens, by.credential)) } : auditedCaller(by);
  const recordId = z.uuid().safeParse(record.id).data;
  audit.denied({
    ...known,
    action,
    recordType: record.type,
    recordId,
    relatedIds: [],
    fields: [],
    outcome: 'denied',
    status,
    ip,
  });
}
