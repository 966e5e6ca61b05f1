import type { Secrets } from '../../../domain/integrations/index.ts';
import { renderRequest, type RequestTemplate } from '../../../domain/tools/index.ts';
import { bodyText, presentAnswer } from '../requests/present-answer.ts';
import { sendRequest } from '../requests/send-request.ts';
import type { GuardedResponse } from '../context.ts';
import { ToolFailure, type ToolFailureClass } from '../tool-failure.ts';
import type { ToolOutput } from '../tool.ts';
import type { CustomCall, RuntimeContext } from './runtime.ts';
import { type ShownValue, shownValue } from './shown-value.ts';
import { ToolSecrets } from './tool-secrets.ts';

const MAX_BYTES = 2 * 1024 * 1024;
/** The part of an answer that a failure quotes, in characters. */
const MAX_QUOTED = 4_000;
/** The longest that the definition's expression may compute, in milliseconds. */
const RESULT_LIMIT_MS = 10_000;
const KEY_HEADER = 'idempotency-key';

/** Sends the request of a definition with the arguments of a call, and shapes the answer as the definition says. */
export async function runHttp(
  request: RequestTemplate,
  { tool, args }: CustomCall,
  context: RuntimeContext,
): Promise<ToolOutput> {
  const secrets = await ToolSecrets.open(tool, context);
  const send = async (values: Secrets) => {
    const rendered = renderRequest(request, { args, secrets: values });
    if ('issue' in rendered) throw new ToolFailure('invalid_input', `The request cannot be made: ${rendered.issue}`);
    const { headers, ...rest } = rendered.value;
    if (!secrets.mayGoTo(rest.url))
      throw new ToolFailure('denied', `The request would leave the address of ${tool.integration}`);
    const sent = {
      ...rest,
      headers: tool.effect === 'keyed' ? withKey(headers, context.idempotencyKey) : headers,
      followRedirects: true,
      mayFollow: (url: string) => secrets.mayGoTo(url),
      timeoutMs: tool.timeoutSeconds * 1000,
      maxBytes: MAX_BYTES,
    };
    return sendRequest(sent, tool.effect, context);
  };
  const answer = secrets.without(await secrets.send(send));
  const shown =
    request.result === undefined ? { value: presentAnswer(answer) } : await shape(answer, request.result, context);
  const value = secrets.mask(shown.value);
  if (answer.status < 400) return { ...shown, value, isForeign: true };
  throw failureOf(answer.status, value, tool.effect !== 'read');
}

function withKey(headers: Readonly<Record<string, string>>, key: string): Readonly<Record<string, string>> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === KEY_HEADER);
  return isGiven ? headers : { ...headers, 'Idempotency-Key': key };
}

// The request was made, so an expression that fails must not look as if it was not: the answer is shown as it came.
async function shape(answer: GuardedResponse, expression: string, context: RuntimeContext): Promise<ShownValue> {
  const { status, headers, body, isTruncated } = answer;
  if (isTruncated) return { value: `${presentAnswer(answer)}\n[The result of the definition was not made of a part.]` };
  const type = headers.get('content-type') ?? '';
  try {
    const json = await context.compute(
      {
        kind: 'answer',
        status,
        headers: Object.fromEntries(headers),
        body: bodyText(body, type),
        isJson: /[/+]json\b/i.test(type),
        expression,
      },
      { limitMs: RESULT_LIMIT_MS },
    );
    return shownValue(json);
  } catch (error) {
    if (!(error instanceof ToolFailure) || context.signal.aborted) throw error;
    return { value: `${presentAnswer(answer)}\n[The result of the definition could not be made: ${error.message}]` };
  }
}

function failureOf(status: number, text: string, hasEffect: boolean): ToolFailure {
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;
  const message = `The server answered with the status ${status}: ${quoted}`;
  return new ToolFailure(kindOf(status), message, { isForeign: true, isUncertain: hasEffect && status >= 500 });
}

function kindOf(status: number): ToolFailureClass {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'upstream' : 'invalid_input';
}
