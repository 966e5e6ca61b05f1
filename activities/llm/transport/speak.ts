import type { GuardedFetch } from '../../core/guarded-fetch.ts';
import { type CallLimits, CallWatch } from './call-limits.ts';
import { toProviderFailure, Unreachable } from '../failures/describe-failure.ts';
import { STRAY, type ServerEvent } from './event-parser.ts';
import { expectAnswer } from './expect-answer.ts';
import { KnownHabits } from '../habits.ts';
import { asObject, parseJson } from './json.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../model-adapter.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readReportedError, ReportedError } from '../failures/reported-error.ts';
import { WholeCharacters } from './whole-characters.ts';
import type { HttpRequest, ReplyReader, WireFormat } from '../wire-format.ts';

/** Events of one answer: more than the longest has tokens, each of which costs the worker some microseconds. */
const MAX_EVENTS = 250_000;

/** Calls models in a wire format, over HTTP. Temporal repeats what is worth repeating: a call is made once. */
export function speak(format: WireFormat, fetch: GuardedFetch, limits: CallLimits): ModelAdapter {
  const line: Line = { format, fetch, habits: new KnownHabits() };
  return async function* stream(request, stop) {
    const watch = new CallWatch(limits, stop);
    const reader = format.createReader(request);
    const characters = new WholeCharacters();
    let isDone = false;
    try {
      const response = await open(line, request, watch.signal);
      const onBytes = () => watch.sawBytes();
      const isOver = () => isDone || reader.isOver;
      let events = 0;
      for await (const event of await expectAnswer(response, format, { onBytes, isOver })) {
        events += 1;
        if (events > MAX_EVENTS) throw new ProviderFailure('sent far more than an answer can hold', { kind: 'outage' });
        isDone = event.data.startsWith('[DONE]');
        const text = isDone ? '' : characters.take(reader.read(readChunk(event, format)));
        if (text !== '') yield { type: 'text', text };
      }
      watch.signal.throwIfAborted();
      yield* endOf(reader, characters);
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, request, watch.signal.reason);
    } finally {
      watch.close();
    }
  };
}

interface Line {
  readonly format: WireFormat;
  readonly fetch: GuardedFetch;
  readonly habits: KnownHabits;
}

/** The response to a request, asked again without what the model turns out to refuse. */
async function open({ format, fetch, habits }: Line, request: ModelRequest, signal: AbortSignal): Promise<Response> {
  let known = habits.of(request);
  for (;;) {
    const response = await post(fetch, format.toHttp(request, known), signal);
    if (response.status < 400) return response;
    const error = await readReportedError(response);
    const shown = habits.learn(error, request, known);
    if (shown === undefined) throw error;
    // Each round adds a habit, so this ends.
    known = shown;
  }
}

async function post(fetch: GuardedFetch, { url, headers, body }: HttpRequest, signal: AbortSignal): Promise<Response> {
  const isSendable = Object.values(headers).every((value) => /^[\x20-\x7E]*$/.test(value));
  if (!isSendable) {
    throw new ProviderFailure("has an API key with characters that no key has. Check the account's API key", {
      kind: 'credentials',
    });
  }
  const all = { 'content-type': 'application/json', 'user-agent': 'everturn', ...headers };
  try {
    return await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body), signal });
  } catch (error) {
    throw new Unreachable('no answer began', { cause: error });
  }
}

/** What an event holds. Throws for an error, and for what is no JSON. */
function readChunk({ name, data }: ServerEvent, { answerName }: WireFormat): unknown {
  if (data.trim() === '') return undefined;
  const chunk = parseJson(data);
  const isError = asObject(Array.isArray(chunk) ? chunk[0] : chunk)['error'] != null;
  if (isError || name === 'error') throw new ReportedError(chunk ?? data);
  if (name === STRAY) return undefined;
  if (chunk === undefined) {
    throw new ProviderFailure(`sent something that is not a streamed ${answerName}`, { kind: 'outage' });
  }
  return chunk;
}

function* endOf(reader: ReplyReader, characters: WholeCharacters): Generator<ModelEvent> {
  const { reason, calls, usage, state } = reader.end();
  if (reason === undefined) {
    throw new ProviderFailure('closed the connection before its answer was complete', { kind: 'outage' });
  }
  if (characters.rest() !== '') yield { type: 'text', text: characters.rest() };
  for (const call of calls) yield { type: 'tool_call', call };
  if (state !== undefined) yield { type: 'state', data: state };
  if (usage !== undefined) yield { type: 'usage', usage };
  yield { type: 'end', reason };
}
