import { type CustomTool, integrationProblem } from '../../../domain/tools/inspect-tool.ts';
import { renderRequest } from '../../../domain/tools/render-request.ts';
import type { RequestTemplate } from '../../../domain/tools/request-template.ts';
import { type GuardedResponse, CallSecrets, type OpenedIntegration, type ToolContext } from '../context.ts';
import type { ToolArguments, ToolOutput } from '../tool.ts';
import { isWithin } from '../../../domain/integrations/address.ts';
import type { Secrets } from '../../../domain/integrations/integration-kind.ts';
import { bodyText, presentAnswer, sendRequest } from '../requests/send-request.ts';
import { ToolFailure, type ToolFailureClass } from '../tool-failure.ts';
import { inexactNumberIn } from '../../../domain/core/exact-json.ts';
import { READING_METHODS } from '../../../domain/network/http-headers.ts';
import type { ScriptAnswer } from '../script/messages.ts';
import type { ScriptRequest } from '../script/script-run.ts';

/** The context of the runtimes of custom tools. */
export type RuntimeContext = Pick<
  ToolContext,
  'http' | 'openIntegration' | 'compute' | 'runScript' | 'runCommand' | 'idempotencyKey' | 'signal'
>;

/** A call of a custom tool, with arguments of bounded size. */
export interface CustomCall {
  readonly tool: CustomTool;
  readonly args: ToolArguments;
  /** Receives the lines that the tool's code logs. */
  readonly log: (text: string) => void;
}

/** A value as models see it: a text as it is, anything else as JSON. */
interface ShownValue extends Pick<ToolOutput, 'isJson'> {
  readonly value: string;
}

/** Returns what is shown of a value, given as JSON. It stays JSON, since as objects it may be far larger. */
function shownValue(json: string): ShownValue {
  return json.startsWith('"') ? { value: String(JSON.parse(json)) } : { value: json, isJson: true };
}

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

// The request was made, so an expression that fails must not hide that: the answer is shown as it came.
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

/** The status of an answer that is a part of another, which may begin and end within a secret. */
const PARTIAL_CONTENT = 206;
const WITHHELD =
  '[The server has sent a part of its answer, which is not shown: it could contain part of a credential.]';

/** The secrets that a call may put into its request, where they may go, and how they are kept out of what it brings. */
class ToolSecrets {
  static readonly NONE = new ToolSecrets(undefined);

  readonly #integration: OpenedIntegration | undefined;
  readonly #callSecrets: CallSecrets;

  private constructor(integration: OpenedIntegration | undefined) {
    this.#integration = integration;
    this.#callSecrets = new CallSecrets(integration?.secrets ?? {}, {
      renew: async (rejected) => integration?.renew?.(rejected) ?? rejected,
      masked: (secrets) => Object.values(secrets),
    });
  }

  /**
   * Opens the integration that a tool names, as it is now. Throws `ToolFailure` when the tool must not be used with it:
   * its definition or the integration may have changed since the tool was offered.
   */
  static async open(
    tool: CustomTool,
    { openIntegration }: Pick<RuntimeContext, 'openIntegration'>,
  ): Promise<ToolSecrets> {
    if (tool.integration === undefined) return ToolSecrets.NONE;
    const integration = await openIntegration(tool.integration);
    const problem = integrationProblem(tool, integration);
    if (problem !== undefined) throw new ToolFailure('denied', `The tool ${tool.key} cannot be used: ${problem}`);
    return new ToolSecrets(integration);
  }

  get values(): Secrets {
    return this.#callSecrets.secrets;
  }

  /**
   * Sends a request with the secrets, and once more with renewed ones when they are not accepted. An answer that came
   * after a redirect, even one to the same address, does not say that the request had no effect.
   */
  async send<T extends GuardedResponse>(request: (secrets: Secrets) => Promise<T>) {
    return this.#callSecrets.send(request, ({ status, redirects }) => status === 401 && redirects === 0);
  }

  /**
   * Returns whether a request may go to an address: with secrets only to that of their integration, and below. Whoever
   * changes a definition could otherwise have them sent to a server of their own.
   */
  mayGoTo(url: string): boolean {
    return this.#integration === undefined || isWithin(this.#integration.apiUrl, url);
  }

  /** Returns a text that was made of an answer, in which the secrets are masked. */
  mask(text: string): string {
    return this.#callSecrets.mask(text);
  }

  /** Returns an answer whose address, headers and body, as far as it is text, do not repeat the secrets. */
  without(answer: GuardedResponse): GuardedResponse {
    if (this.#integration === undefined) return answer;
    const type = answer.headers.get('content-type') ?? '';
    const isPart = answer.status === PARTIAL_CONTENT;
    const essence = isPart ? 'text/plain' : type.split(';', 1)[0];
    const headers = [...answer.headers].map(([name, value]) => [name, this.#callSecrets.mask(value)] as const);
    return {
      ...answer,
      finalUrl: this.#callSecrets.mask(answer.finalUrl),
      headers: new Map([...headers, ['content-type', `${essence}; charset=utf-8`]]),
      body: Buffer.from(isPart ? WITHHELD : this.#maskedBody(answer, type)),
    };
  }

  #maskedBody({ body, isTruncated }: GuardedResponse, type: string): string {
    const text = bodyText(body, type);
    return isTruncated ? this.#callSecrets.maskBeginning(text) : this.#callSecrets.mask(text);
  }
}

const REQUEST_TIMEOUT_MS = 30_000;
/** How much all requests of a call may receive, in bytes. */
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
