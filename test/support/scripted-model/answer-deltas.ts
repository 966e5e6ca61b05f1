import type { Answer } from './behaviour.ts';
import { toolCallArguments, toolCallStart, type Delta, type WireToolCall } from './wire.ts';

/**
 * Returns the deltas of an answer, one a chunk, made while they are sent: a huge answer is never in memory as a whole.
 */
export function* answerDeltas(answer: Answer, toolCalls: readonly WireToolCall[]): Generator<Delta> {
  if (answer.reasoning !== undefined) {
    for (const chunk of words(answer.reasoning)) yield { reasoning_content: chunk };
  }
  for (const chunk of textChunks(answer)) yield { content: chunk };
  for (const [index, call] of toolCalls.entries()) {
    yield toolCallStart(index, call);
    for (const chunk of chunksOf(call.arguments, 16)) yield toolCallArguments(index, chunk);
  }
}

/** Returns the text of an answer in the chunks it is streamed in. */
export function* textChunks(answer: Answer): Generator<string> {
  if (answer.fill !== undefined) {
    yield* filler(answer.fill.bytes, answer.fill.chunkBytes);
  } else if (answer.text !== undefined) {
    yield* answer.chunkChars === undefined ? words(answer.text) : chunksOf(answer.text, answer.chunkChars);
  } else {
    for (let word = 1; word <= (answer.chunks ?? 0); word += 1) yield word === 1 ? 'w1' : ` w${word}`;
  }
}

/**
 * Returns the tool calls of an answer as they go over the wire; ids are made from the request's number when not given.
 */
export function wireToolCalls(answer: Answer, requestId: number): WireToolCall[] {
  return (answer.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${requestId}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
}

function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** Cuts by code point, so that no chunk holds half a surrogate pair. */
function* chunksOf(text: string, length: number): Generator<string> {
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += length) yield points.slice(at, at + length).join('');
}

function* filler(bytes: number, chunkBytes: number): Generator<string> {
  const line = 'The quick brown fox jumps over the lazy dog. ';
  const block = line.repeat(Math.ceil(Math.min(chunkBytes, bytes) / line.length)).slice(0, chunkBytes);
  for (let sent = 0; sent < bytes; sent += chunkBytes) yield block.slice(0, Math.min(chunkBytes, bytes - sent));
}
