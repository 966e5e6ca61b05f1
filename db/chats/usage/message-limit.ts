import type { AppError } from '../../../domain/core/app-error.ts';
import { formatBytes } from '../../../domain/core/format-bytes.ts';
import { limitReached } from '../../../domain/core/limit-reached.ts';

/** Makes the error for an organization that has reached its limit of messages, in bytes. */
export function tooManyMessages(maxBytes: number): AppError {
  return limitReached('of messages', formatBytes(maxBytes), { advice: '' });
}

/** The condition on which an organization may store further messages. */
export const hasRoomForMessages = (orgId: string, maxBytes: string) =>
  `not exists (select from org_usage where org_id = ${orgId} and message_bytes >= ${maxBytes}::bigint)`;
