import { fromWireArguments, type SchemaProfile, toWireTool } from '../../../domain/tool-offer/index.ts';
import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import type { RequestStream } from '../../core/network/guarded-fetch.ts';
import type { StreamedResponse } from '../../core/network/streamed-response.ts';
import { type CallLimits, CallDeadline } from './call-limits.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import { STRAY, type ServerEvent } from './event-parser.ts';
import { expectAnswer } from './expect-answer.ts';
import { KnownQuirks } from '../model-quirks.ts';
import { parseJson } from './json.ts';
import type { ModelAdapter, ModelEvent, ModelRequest, NativeCall } from '../model-adapter.ts';
import { errorInside } from '../failures/error-inside.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readReportedError, ReportedError } from '../failures/reported-error.ts';
import { sendRequest } from './send-request.ts';
import { WholeCharacters } from './whole-characters.ts';
import type { WireReader, WireFormat } from '../wire-format.ts';

/** Events of one reply: more than the longest has tokens. Each costs the worker some microseconds. */
const MAX_EVENTS = 250_000;

/**
 * Makes an adapter that calls models in a wire format over HTTP. It makes each call once; Temporal repeats what is
 * worth repeating.
 */
export function httpAdapter(format: WireFormat, requestStream: RequestStream, limits: CallLimits): ModelAdapter {
  const deps: AdapterDeps = { format, requestStream, quirks: new KnownQuirks() };
  return async function* stream(asked, stop) {
    const request = { ...asked, tools: asked.tools.map((tool) => toWireTool(tool, format.tools)) };
    const deadline = new CallDeadline(limits, stop);
    const reader = format.createReader(request);
    const characters = new WholeCharacters();
    let isDone = false;
    try {
      const response = await open(deps, request, deadline.signal);
      const onBytes = () => deadline.sawBytes();
      const isOver = () => isDone || reader.isOver;
      let events = 0;
      for await (const event of await expectAnswer(response, format, { onBytes, isOver })) {
        events += 1;
        if (events > MAX_EVENTS) throw new ProviderFailure('sent far more than a reply can hold', { kind: 'outage' });
        isDone = event.data.startsWith('[DONE]');
        const text = isDone ? '' : characters.take(reader.read(readChunk(event, format)));
        if (text !== '') yield { type: 'text', text };
      }
      deadline.signal.throwIfAborted();
      yield* endOf(reader, characters, (call) => inTermsOf(asked.tools, call, format.tools));
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, request, deadline.signal.reason);
    } finally {
      deadline.close();
    }
  };
}

interface AdapterDeps {
  readonly format: WireFormat;
  readonly requestStream: RequestStream;
  readonly quirks: KnownQuirks;
}

/** Sends a request, and again without the parts that the model turns out to reject. Returns the response. */
async function open(
  { format, requestStream, quirks }: AdapterDeps,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  return quirks.adapt(request, async (known) => {
    const { url, headers, body } = format.toHttp(request, known);
    const sent = { url, body: JSON.stringify(body) };
    const send = async () =>
      sendRequest(requestStream, url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...format.signer?.sign(request.account, sent) },
        body: sent.body,
        signal,
      });
    const response = await send();
    if (response.status < 400) return response;
    const error = await readReportedError(response);
    if (format.signer?.learn(error, url) !== true) throw error;
    const second = await send();
    if (second.status >= 400) throw await readReportedError(second);
    return second;
  });
}

/** Returns the data of an event. Throws for an error, and for invalid JSON. */
function readChunk({ name, data }: ServerEvent, { answerName }: WireFormat): unknown {
  if (data.trim() === '') return undefined;
  const chunk = parseJson(data);
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
  if (usage !== undefined) yield { type: 'usage', usage };
  yield { type: 'end', ...ending };
}

function inTermsOf(tools: readonly ToolDefinition[], call: NativeCall, profile: SchemaProfile): NativeCall {
  const tool = tools.find(({ name }) => name === call.name);
  return tool === undefined ? call : { ...call, argumentsText: fromWireArguments(call.argumentsText, tool, profile) };
}
