import { z } from 'zod';
import type { Service, ServiceRequest } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { readAnswer } from '../../services/read-answer.ts';

interface TelegramCall extends Pick<ServiceRequest, 'json' | 'body' | 'headers' | 'effect'> {
  readonly method: string;
  /** What a refusal says after which everything is as it was wanted. */
  readonly accepts?: string;
}

const REFUSED = 400;
const answerSchema = z.object({ result: z.unknown().optional(), description: z.string().max(1_000).optional() });

/**
 * Calls a method of Telegram's Bot API and returns its result; undefined where everything is as it was wanted already.
 * Throws `ToolFailure` with its words when it refuses.
 */
export async function callTelegram(service: Service, call: TelegramCall): Promise<unknown> {
  const { method, accepts, ...request } = call;
  const answer = await service.request({ ...request, method: 'POST', path: `/${method}`, accepts: [REFUSED] });
  const { result, description = 'it says no reason' } = readAnswer(answer, answerSchema);
  if (answer.status !== REFUSED || (accepts !== undefined && description.includes(accepts))) return result;
  throw new ToolFailure('invalid_input', `Telegram answers with the status ${REFUSED}: ${description}`, {
    isForeign: true,
  });
}
