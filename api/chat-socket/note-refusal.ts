import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../core/api-context.ts';
import { problemOf } from '../core/problem.ts';
import { traceCredential } from '../core/trace-credential.ts';

/** Who wanted what of a chat, over its socket. */
interface Attempt {
  /** Null for somebody whose token is not good. */
  readonly caller: Caller | null;
  readonly token: string;
  readonly chatId: string;
  /** Address of the peer. */
  readonly ip: string;
  /** As the routes for the same call it. */
  readonly action: 'chats.view' | 'chats.stream' | 'chats.interrupt';
}

interface Caller {
  readonly userId: string;
  readonly orgId: string | null;
  readonly sessionId: string | undefined;
  readonly keyId: string | undefined;
}

const DENIED: ReadonlySet<number> = new Set([401, 403, 404]);

/** Tells the audit log that somebody was refused. Other failures are no refusals. */
export async function noteRefusal(
  { audit, tokens }: Pick<ApiContext, 'audit' | 'tokens'>,
  { caller, token, chatId, ip, action }: Attempt,
  error: unknown,
): Promise<void> {
  const status = problemOf(error)?.status ?? 0;
  if (!(error instanceof AppError) || !DENIED.has(status)) return;
  const known =
    caller === null
      ? { actorId: undefined, orgId: undefined, apiKeyId: undefined, ...(await traceCredential(tokens, token)) }
      : {
          actorId: caller.userId,
          orgId: caller.orgId ?? undefined,
          sessionId: caller.sessionId,
          apiKeyId: caller.keyId,
          apiKeyPublicId: undefined,
        };
  const recordId = z.uuid().safeParse(chatId).data;
  audit.refused({
    ...known,
    action,
    recordType: 'chats',
    recordId,
    relatedIds: [],
    fields: [],
    outcome: 'denied',
    status,
    ip,
  });
}
