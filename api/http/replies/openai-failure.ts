import { z } from 'zod';
import { notFound } from '../../../domain/core/app-error.ts';
import type { Problem } from '../problem.ts';
import { describeIssue, fieldOf } from './issue-words.ts';

// Clients of OpenAI's API read failures as it sends them: https://platform.openai.com/docs/guides/error-codes, and the
// error classes of its official clients.

/** A failure as OpenAI's API sends it. */
export const openAiErrorSchema = z
  .object({
    error: z
      .object({
        message: z.string().meta({ description: 'What went wrong, in readable words' }),
        type: z.string(),
        param: z.string().nullable().meta({ description: 'The field that is wrong' }),
        code: z.string().nullable(),
      })
      .meta({ id: 'OpenAiErrorDetails' }),
  })
  .meta({ id: 'OpenAiError' });

type OpenAiError = z.output<typeof openAiErrorSchema>;

/**
 * Keeps OpenAI's clients from repeating a request, as they do with what failed with 5xx or 409: a turn that failed has
 * tried all accounts, and would be run again.
 */
export const TELL_NOT_TO_RETRY = { 'x-should-retry': 'false' } as const;

const SERVER_ERRORS = 500;
const MODEL_NOT_FOUND = notFound('Model').message;

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** Returns a failure as OpenAI's API sends it. */
export function openAiError(status: number, detail: Problem['detail']): OpenAiError {
  const type = TYPES[status] ?? (status >= SERVER_ERRORS ? 'server_error' : 'invalid_request_error');
  const isModel = status === 404 && detail === MODEL_NOT_FOUND;
  const code = status === 401 ? 'invalid_api_key' : isModel ? 'model_not_found' : null;
  if (typeof detail === 'string') return { error: { message: detail, type, param: isModel ? 'model' : null, code } };
  const [first] = detail;
  return { error: { message: detail.map(describeIssue).join('; '), type, param: first ? fieldOf(first) : null, code } };
}
