import { z } from 'zod';
import type { Service } from '../../../context.ts';
import { ToolFailure, type ToolFailureClass } from '../../../tool-failure.ts';
import type { RunEffect } from '../../../tool.ts';
import { readAnswer } from '../../services/read-answer.ts';

type Value = string | number | boolean;

interface SlackCall {
  readonly method: string;
  readonly effect: RunEffect;
  /** Sent as JSON, by methods that change something. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Sent in the address, by methods that read. */
  readonly query?: Readonly<Record<string, Value | undefined>>;
  /** Errors after which everything is as it was wanted. */
  readonly accepts?: readonly string[];
}

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  needed: z.string().max(500).optional(),
  response_metadata: z
    .object({ next_cursor: z.string().max(2_000), messages: z.string().max(1_000).array() })
    .partial()
    .optional(),
});

export type SlackAnswer = z.output<typeof answerSchema>;

/** The classes of Slack's errors, of which it says no status. */
const CLASSES: ReadonlyMap<string, ToolFailureClass> = new Map([
  ...list('denied', 'invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission'),
  ...list('denied', 'not_in_channel restricted_action cant_update_message cant_delete_message ekm_access_denied'),
  ...list('not_found', 'channel_not_found message_not_found thread_not_found user_not_found file_not_found'),
  ...list('rate_limited', 'ratelimited rate_limited'),
  ...list('upstream', 'internal_error fatal_error service_unavailable request_timeout'),
]);

/** The errors of a token that is good for nothing any more. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
]);

function list(kind: ToolFailureClass, errors: string): (readonly [string, ToolFailureClass])[] {
  return errors.split(' ').map((error) => [error, kind]);
}

/** Calls a method of Slack's Web API. It refuses with the status 200; throws `ToolFailure` with its words then. */
export async function callSlack(service: Service, call: SlackCall): Promise<SlackAnswer> {
  const { method, effect, json, query, accepts = [] } = call;
  const verb = json === undefined ? 'GET' : 'POST';
  const answer = await service.request({ method: verb, path: `/${method}`, query, json, effect });
  const said = readAnswer(answer, answerSchema);
  if (said.ok || accepts.includes(said.error ?? '')) return said;
  if (said.error !== undefined && REJECTIONS.has(said.error))
    await service.noteUse(`Slack has rejected the token (${said.error})`);
  throw refusal(said, effect);
}

function refusal({ error = 'it says no reason', needed, response_metadata: more }: SlackAnswer, effect: RunEffect) {
  const kind = CLASSES.get(error) ?? 'invalid_input';
  const lacks = needed === undefined ? '' : `; the token needs the scope ${needed}`;
  const messages = (more?.messages ?? []).slice(0, 5).map((message) => `; ${message}`);
  return new ToolFailure(kind, `Slack answers: ${error}${lacks}${messages.join('')}`, {
    isForeign: true,
    isUncertain: kind === 'upstream' && effect !== 'read',
  });
}

/** Returns the `next` of a list; Slack gives an empty one with the last page. */
export function nextOf({ response_metadata: more }: SlackAnswer): string | undefined {
  return more?.next_cursor === '' ? undefined : more?.next_cursor;
}
