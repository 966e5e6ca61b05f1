import { answerDeltas, wireToolCalls } from './answer-deltas.ts';
import type { Answer } from './behaviour.ts';
import { completionHead, finishReasonOf, usageOf } from './completion-head.ts';
import { EventWriter } from './event-writer.ts';
import type { Gates } from './gates.ts';
import { preciseNow, type JournalChange, type JournalEntry } from './journal.ts';
import type { Outlet } from './outlet.ts';
import { chunk, doneData, errorBody, usageChunk, type CompletionHead, type Delta } from './wire.ts';

interface StreamDeps {
  readonly gates: Gates;
  readonly change: (change: JournalChange) => void;
}

/** An answer on its way. */
interface Playing extends StreamDeps {
  readonly answer: Answer;
  readonly request: JournalEntry;
  readonly outlet: Outlet;
  readonly writer: EventWriter;
  readonly head: CompletionHead;
  /** Asked for usage, the API sends `usage: null` on every chunk but the last. */
  readonly noUsageYet: null | undefined;
  readonly everyMs: number;
}

/** Plays an answer as an event stream. */
export async function playStream(
  answer: Answer,
  request: JournalEntry,
  outlet: Outlet,
  deps: StreamDeps,
): Promise<void> {
  const playing: Playing = {
    ...deps,
    answer,
    request,
    outlet,
    writer: new EventWriter(outlet, answer),
    head: completionHead(request),
    noUsageYet: asksForUsage(request) && answer.usage !== 'none' ? null : undefined,
    everyMs: answer.everyMs ?? 0,
  };
  await open(playing);
  const sent = await playDeltas(playing);
  if (sent !== undefined) await close(playing, sent);
}

async function open({ answer, request, outlet, writer, head, noUsageYet, everyMs }: Playing): Promise<void> {
  outlet.head(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': `req_${request.id}`,
  });
  const { thinkMs = 0, comments = { count: 0, everyMs: 0 } } = answer;
  if (everyMs > 0 || thinkMs > 0) outlet.flushHead();
  await outlet.pause(thinkMs);
  for (let written = 0; written < comments.count; written += 1) {
    writer.comment('keep-alive');
    await writer.flush();
    await outlet.pause(comments.everyMs);
  }
  writer.data(chunk(head, { role: 'assistant', content: '', refusal: null }, null, noUsageYet));
}

/** Sends the deltas and returns how many there were; undefined when the stream ended early. */
async function playDeltas(playing: Playing): Promise<number | undefined> {
  const { answer, request, outlet, writer, everyMs } = playing;
  const startedAt = performance.now();
  let sent = 0;
  for (const delta of answerDeltas(answer, wireToolCalls(answer, request.id))) {
    if (outlet.isClosed || (await endsEarly(playing, sent))) return undefined;
    await waitAtGate(playing, sent);
    if (everyMs > 0) await outlet.pause(startedAt + sent * everyMs - performance.now());
    writeDelta(playing, delta, sent === 0);
    sent += 1;
    if (everyMs > 0 || writer.isFull) await writer.flush();
  }
  return outlet.isClosed || (await endsEarly(playing, sent)) ? undefined : sent;
}

function writeDelta({ answer, writer, head, noUsageYet, change }: Playing, delta: Delta, isFirst: boolean): void {
  if (answer.comments !== undefined && !isFirst) writer.comment('keep-alive');
  writer.data(chunk(head, delta, null, noUsageYet));
  writer.countChunk();
  if (isFirst) change({ firstContentAt: preciseNow() });
}

async function waitAtGate({ answer, outlet, writer, gates }: Playing, sent: number): Promise<void> {
  if (answer.hold?.after !== sent) return;
  await writer.flush();
  await outlet.race(gates.passed(answer.hold.gate));
}

/** Ends the stream when the answer breaks off at this point. */
async function endsEarly({ answer, outlet, writer }: Playing, sent: number): Promise<boolean> {
  if (answer.errorAfter === sent) {
    writer.data(errorBody('The server had an error while processing your request.', 'server_error'));
    await writer.flush();
    outlet.end();
    return true;
  }
  if (answer.cut?.after !== sent) return false;
  await writer.flush();
  if (answer.cut.how === 'fin') outlet.end();
  else await outlet.destroy();
  return true;
}

async function close({ answer, request, outlet, writer, head, noUsageYet }: Playing, sent: number): Promise<void> {
  const usage = usageOf(answer, request, sent);
  const isApart = answer.usage === 'apart' || ((answer.usage ?? 'auto') === 'auto' && asksForUsage(request));
  writer.data(chunk(head, {}, finishReasonOf(answer), answer.usage === 'inline' ? usage : noUsageYet));
  if (isApart) writer.data(usageChunk(head, usage));
  writer.data(doneData);
  if (answer.afterDone === 'done') writer.data(doneData);
  if (answer.afterDone === 'chunk') writer.data(chunk(head, { content: ' after the end' }, null));
  await writer.flush();
  outlet.end();
}

function asksForUsage(request: JournalEntry): boolean {
  return request.body.stream_options?.include_usage === true;
}
