import { inexactNumberIn } from '../../../domain/core/exact-json.ts';
import { bodyText } from '../requests/send-request.ts';
import { READING_METHODS } from '../../../domain/network/index.ts';
import type { GuardedResponse } from '../context.ts';
import type { ScriptAnswer, ScriptRequest } from '../script/index.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolOutput } from '../tool.ts';
import { type CustomCall, type RuntimeContext, shownValue } from './runtime.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 * 1024 * 1024;
/** What all requests of a call may receive, in bytes. */
const MAX_RECEIVED = 8 * 1024 * 1024;

/** Runs the code of a definition with the arguments of a call. Its requests count as the tool's effect. */
export async function runJavascript(source: string, call: CustomCall, context: RuntimeContext): Promise<ToolOutput> {
  const inexact = inexactNumberIn(call.args);
  if (inexact !== undefined) {
    const message = `JavaScript has no number ${inexact.slice(0, 100)}: give it as a text`;
    throw new ToolFailure('invalid_input', message);
  }
  const requests = new ScriptRequests(call, context);
  const fetch = async (request: ScriptRequest, signal: AbortSignal) => requests.send(request, signal);
  try {
    const json = await context.runScript({ source, args: call.args }, { fetch, log: call.log });
    return { ...shownValue(json), isForeign: requests.hasSent };
  } catch (error) {
    if (!(error instanceof ToolFailure) || context.signal.aborted || !requests.hasSent) throw error;
    const { kind, message, isUncertain } = error;
    throw new ToolFailure(kind, message, {
      isForeign: true,
      isUncertain: isUncertain || call.tool.effect !== 'read',
      cause: error,
    });
  }
}

/** The requests of one call. */
class ScriptRequests {
  readonly #call: CustomCall;
  readonly #context: RuntimeContext;
  #sent = 0;
  #received = 0;

  constructor(call: CustomCall, context: RuntimeContext) {
    this.#call = call;
    this.#context = context;
  }

  get hasSent(): boolean {
    return this.#sent > 0;
  }

  async send({ url, method, headers, body }: ScriptRequest, signal: AbortSignal): Promise<ScriptAnswer> {
    const maxBytes = Math.min(MAX_BYTES, MAX_RECEIVED - this.#received);
    if (maxBytes <= 0) throw new Error(`The requests of a call may receive ${MAX_RECEIVED} bytes in all`);
    if (READING_METHODS.has(method) && typeof body === 'string')
      throw new ToolFailure('invalid_input', `A ${method} request has no body`);
    this.#sent += 1;
    const answer = await this.#context.http.request({
      url,
      method,
      headers: this.#withKey(method, Object.fromEntries(headers)),
      body: body ?? undefined,
      followRedirects: true,
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxBytes,
      signal,
    });
    this.#received += answer.body.length;
    if (answer.isTruncated) throw new Error(`The answer is longer than ${maxBytes} bytes`);
    return answerOf(answer);
  }

  // A repeated call makes its requests in the same order, so the same one has the same key.
  #withKey(method: string, headers: Record<string, string>): Record<string, string> {
    const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
    if (this.#call.tool.effect !== 'keyed' || READING_METHODS.has(method) || isGiven) return headers;
    return { ...headers, 'Idempotency-Key': `${this.#context.idempotencyKey}-${this.#sent}` };
  }
}

function answerOf({ status, finalUrl: url, headers, body }: GuardedResponse): ScriptAnswer {
  return { status, url, headers: Object.fromEntries(headers), body: bodyText(body, headers.get('content-type') ?? '') };
}
