import { fromWireArguments, toWireTool } from '../../../domain/tool-offer/wire/wire-tools.ts';
import type { SchemaProfile } from '../../../domain/tool-offer/wire/flatten.ts';
import type { ToolDefinition } from '../../../domain/transcripts/model-message.ts';
import { RequestBody, type RequestStream, type StreamedResponse } from '../../core/network/guarded-fetch.ts';
import { expectAnswer, sendRequest } from './expect-answer.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import { type ServerEvent, STRAY } from './event-parser.ts';
import { KnownQuirks } from '../model-quirks.ts';
import { isReported, parseJson } from './json.ts';
import type { ModelAdapter, ModelEvent, NativeCall, RenderedTranscript, UnrenderedRequest } from '../model-adapter.ts';
import { errorInside, readReportedError, ReportedError } from '../failures/reported-error.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { WholeCharacters } from './event-stream.ts';
import type { ModelQuirks, ProviderRequest, WireFormat, WireReader } from '../wire-format.ts';
import { CallDeadline, type CallLimits } from './call-limits.ts';

/** Events of one reply: more than the longest has tokens. Each costs the worker some microseconds. */
const MAX_EVENTS = 250_000;

/**
 * Makes an adapter that calls models in a wire format over HTTP. It makes each call once; Temporal repeats what is
 * worth repeating.
 */
export function httpAdapter(format: WireFormat, requestStream: RequestStream, limits: CallLimits): ModelAdapter {
  const deps: AdapterDeps = { format, requestStream, limits, quirks: new KnownQuirks() };
  return async function* stream(request, stop) {
    const call = new HttpCall(deps, request, stop);
    const reader = format.createReader(request);
    const characters = new WholeCharacters();
    let isDone = false;
    try {
      const response = await call.open();
      const onBytes = () => call.deadline?.sawBytes();
      const isOver = () => isDone || reader.isOver;
      let events = 0;
      const isEnding = () => reader.isEnding;
      for await (const event of await expectAnswer(response, format, { onBytes, isOver, isEnding })) {
        events += 1;
        if (events > MAX_EVENTS)
          throw new ProviderFailure('sent far more than a reply can contain', { kind: 'outage' });
        isDone = event.data.trimStart().startsWith('[DONE]');
        if (isDone) reader.takeEndMark?.();
        const text = isDone ? '' : characters.take(reader.read(readChunk(event, format)));
        if (text !== '') yield { type: 'text', text };
      }
      call.deadline?.signal.throwIfAborted();
      yield* endOf(reader, characters, (made) => inTermsOf(call.tools, made, format.tools));
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, { ...request, tools: call.tools }, call.deadline?.signal.reason);
    } finally {
      call.deadline?.close();
    }
  };
}

interface AdapterDeps {
  readonly format: WireFormat;
  readonly requestStream: RequestStream;
  readonly limits: CallLimits;
  readonly quirks: KnownQuirks;
}

/** A request as it is about to be sent. */
interface BuiltRequest extends Pick<ProviderRequest, 'url' | 'headers'> {
  readonly body: RequestBody;
}

/** The call of a model until its response begins. */
class HttpCall {
  readonly #deps: AdapterDeps;
  readonly #request: UnrenderedRequest;
  readonly #stop: AbortSignal;
  #hasState = false;
  /** The tools of the last request, in their own terms. */
  tools: readonly ToolDefinition[] = [];
  /** The limits of the last request; its time begins when it is sent. */
  deadline: CallDeadline | undefined;

  constructor(deps: AdapterDeps, request: UnrenderedRequest, stop: AbortSignal) {
    this.#deps = deps;
    this.#request = request;
    this.#stop = stop;
  }

  /** Sends the request, and again without the parts that the model turns out to reject. Returns the response. */
  async open(): Promise<StreamedResponse> {
    const { signer } = this.#deps.format;
    const call = { ...this.#request, hasState: () => this.#hasState };
    return this.#deps.quirks.adapt(call, async (known) => {
      const first = await this.#send(known);
      if (first.status < 400) return first;
      const error = await readReportedError(first);
      if (signer?.learn(error, first.url) !== true) throw error;
      const second = await this.#send(known);
      if (second.status >= 400) throw await readReportedError(second);
      return second;
    });
  }

  async #send(known: ModelQuirks): Promise<StreamedResponse & { readonly url: string }> {
    const { format, requestStream, limits } = this.#deps;
    const { transcript, account } = this.#request;
    const { url, headers, body } = await transcript.read(
      (given) => this.#build(given, known),
      (built) => built.body.byteLength,
    );
    const signed = format.signer?.sign(account, { url, body: body.bytes });
    this.deadline?.close();
    this.deadline = new CallDeadline(limits, this.#stop);
    const response = await sendRequest(requestStream, url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...signed },
      body,
      signal: this.deadline.signal,
    });
    return { ...response, url };
  }

  #build(given: RenderedTranscript, known: ModelQuirks): BuiltRequest {
    const { transcript, ...call } = this.#request;
    this.tools = given.tools;
    this.#hasState = given.messages.some((message) => message.role === 'assistant' && message.state !== undefined);
    const { format } = this.#deps;
    const tools = given.tools.map((tool) => toWireTool(tool, format.tools));
    const { url, headers, body } = format.toHttp({ ...call, ...given, tools }, known);
    return { url, headers, body: new RequestBody(Buffer.from(JSON.stringify(body)), () => transcript.release()) };
  }
}

/** Returns the data of an event. Throws for an error, and for invalid JSON. */
function readChunk({ name, data }: ServerEvent, { answerName }: WireFormat): unknown {
  if (data.trim() === '') return undefined;
  const chunk = parseJson(data, { isExact: true });
  if (errorInside(chunk) != null || name === 'error') throw new ReportedError(chunk ?? data);
  if (name === STRAY) return undefined;
  if (chunk === undefined) {
    throw new ProviderFailure(`sent something that is not a streamed ${answerName}`, { kind: 'outage' });
  }
  return chunk;
}

function* endOf(
  reader: WireReader,
  characters: WholeCharacters,
  read: (call: NativeCall) => NativeCall,
): Generator<ModelEvent> {
  const { ending, calls, usage, state } = reader.end();
  if (ending === undefined) {
    throw new ProviderFailure('closed the connection before its reply was complete', { kind: 'outage' });
  }
  if (characters.rest() !== '') yield { type: 'text', text: characters.rest() };
  for (const call of calls) yield { type: 'tool_call', call: read(call) };
  if (state !== undefined) yield { type: 'state', data: state };
  if (isReported(usage)) yield { type: 'usage', usage };
  yield { type: 'end', ...ending };
}

function inTermsOf(tools: readonly ToolDefinition[], call: NativeCall, profile: SchemaProfile): NativeCall {
  const tool = tools.find(({ name }) => name === call.name);
  return tool === undefined ? call : { ...call, argumentsText: fromWireArguments(call.argumentsText, tool, profile) };
}
