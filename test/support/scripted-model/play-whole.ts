import { answerDeltas, textChunks, wireToolCalls } from './answer-deltas.ts';
import type { Answer } from './behaviour.ts';
import { completionHead, finishReasonOf, usageOf } from './completion-head.ts';
import type { Gates } from './gates.ts';
import type { JournalEntry } from './journal.ts';
import type { Outlet } from './outlet.ts';
import { completion, errorBody } from './wire.ts';

/** Plays an answer as one JSON body. Pace becomes one wait, an early end half a body. */
export async function playWhole(answer: Answer, request: JournalEntry, outlet: Outlet, gates: Gates): Promise<void> {
  const calls = wireToolCalls(answer, request.id);
  const text = [...textChunks(answer)].join('');
  const chunks = [...answerDeltas(answer, calls)].length;
  const content = text === '' && calls.length > 0 ? null : text;
  const usage = answer.usage === 'none' ? undefined : usageOf(answer, request, chunks);
  const body = completion(
    completionHead(request),
    { content, reasoning: answer.reasoning, toolCalls: calls },
    finishReasonOf(answer),
    usage,
  );

  if (answer.hold !== undefined) await outlet.race(gates.passed(answer.hold.gate));
  await outlet.pause((answer.thinkMs ?? 0) + chunks * (answer.everyMs ?? 0));
  if (outlet.isClosed) return;
  outlet.head(200, { 'content-type': 'application/json', 'x-request-id': `req_${request.id}` });
  if (answer.errorAfter !== undefined) {
    outlet.end(errorBody('The server had an error while processing your request.', 'server_error'));
  } else if (answer.cut === undefined) {
    outlet.end(body);
  } else {
    await outlet.write(body.slice(0, body.length / 2));
    if (answer.cut.how === 'fin') outlet.end();
    else await outlet.destroy();
  }
}
