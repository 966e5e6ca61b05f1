import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../core/api-context.ts';
import type { Authentication } from '../core/authenticate.ts';
import { problemOf } from '../core/problem.ts';

interface RefusedUpgrade {
  readonly caller: Authentication['caller'];
  readonly chatId: string;
  /** Address of the peer. */
  readonly ip: string;
}

/** Tells the audit log that somebody wanted to watch a chat that they may not see. Other failures are no refusals. */
export function noteRefusedUpgrade(
  { audit }: Pick<ApiContext, 'audit'>,
  { caller, chatId, ip }: RefusedUpgrade,
  error: unknown,
): void {
  const status = problemOf(error)?.status;
  if (!(error instanceof AppError) || (status !== 403 && status !== 404)) return;
  audit.refused({
    actorId: caller.userId,
    orgId: caller.orgId ?? undefined,
    sessionId: caller.sessionId,
    apiKeyId: caller.keyId,
    apiKeyPublicId: undefined,
    action: 'chats.view',
    recordType: 'chats',
    recordId: z.uuid().safeParse(chatId).data,
    relatedIds: [],
    fields: [],
    outcome: 'denied',
    status,
    ip,
  });
}
