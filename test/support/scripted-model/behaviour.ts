import { z } from 'zod';

const count = z.int().min(0);

const toolCallSchema = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  /** An object is sent as JSON; a string is sent as it is, so that a test can send broken JSON. */
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
});

const answerSchema = z.strictObject({
  kind: z.literal('answer'),
  /** The model's text. By default a sentence made from the newest message, or `chunks` numbered words. */
  text: z.string().optional(),
  /** Without `text`: say this many numbered words, one a chunk. */
  chunks: count.optional(),
  /** Cut `text` into chunks of this many characters instead of words. */
  chunkChars: z.int().min(1).optional(),
  /** Instead of `text`: this many bytes of filler, in chunks of `chunkBytes`. Made while it is sent. */
  fill: z.strictObject({ bytes: count, chunkBytes: z.int().min(1) }).optional(),
  /** Sent as `reasoning_content` before the answer, as several open-weight servers do. */
  reasoning: z.string().optional(),
  toolCalls: z.array(toolCallSchema).optional(),
  /** Calls as the request asks for them: native ones when it offers tools, else fences in the text. */
  calls: z.array(toolCallSchema).optional(),
  finishReason: z.string().optional(),
  /** Pause between the headers and the first chunk. */
  thinkMs: count.optional(),
  /** Pause between chunks, kept against the clock: a late chunk does not delay the ones after it. */
  everyMs: count.optional(),
  /** `auto`: an own last chunk when the request asks for usage. `inline`: on the chunk with the finish reason. */
  usage: z.enum(['auto', 'apart', 'inline', 'none']).optional(),
  usageNumbers: z
    .strictObject({ promptTokens: z.int(), completionTokens: z.int(), cachedTokens: z.int().optional() })
    .optional(),
  /** Comment lines: this many before the first chunk, and one between chunks. */
  comments: z.strictObject({ count, everyMs: count }).optional(),
  /** End early after this many chunks: `destroy` kills the socket, `fin` ends the body without any end marker. */
  cut: z.strictObject({ after: count, how: z.enum(['destroy', 'fin']) }).optional(),
  /** After this many chunks send an error event inside the 200 stream and end. */
  errorAfter: count.optional(),
  /** After this many chunks wait until the gate of this name is released. */
  hold: z.strictObject({ after: count, gate: z.string() }).optional(),
  /** How the bytes are split into writes: through the middle of every multi-byte character, or in chunks at a pace. */
  writes: z
    .discriminatedUnion('how', [
      z.strictObject({ how: z.literal('utf8') }),
      z.strictObject({ how: z.literal('bytes'), bytes: z.int().min(1), everyMs: count }),
    ])
    .optional(),
  /** Legal but unusual event-stream forms. */
  framing: z.enum(['crlf', 'cr', 'no-space', 'bom', 'multi-line']).optional(),
  /** The data after `[DONE]`: a second `[DONE]`, or another content chunk that must be ignored. */
  afterDone: z.enum(['done', 'chunk']).optional(),
});

const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    retryAfter: z.string().optional(),
    code: z.string().optional(),
    message: z.string().optional(),
  }),
  /** Accepts the request and never sends a byte. */
  z.strictObject({ kind: z.literal('silent') }),
  /** Sends the headers and never a byte of the body. */
  z.strictObject({ kind: z.literal('stall') }),
  /** Kills the connection (RST) before the headers. */
  z.strictObject({ kind: z.literal('reset') }),
  /** Status 200 with an HTML page, like a misconfigured gateway. */
  z.strictObject({ kind: z.literal('html') }),
  /** 200 with an event stream of garbage. */
  z.strictObject({ kind: z.literal('nonsense') }),
  z.strictObject({ kind: z.literal('redirect'), url: z.string() }),
]);

/** Plain data: the same value works in a test, in a directive and over the control endpoint. */
export const behaviourSchema = z.discriminatedUnion('kind', [answerSchema, ...faultSchema.options]);

export type Answer = z.infer<typeof answerSchema>;
export type AnswerOptions = Omit<Answer, 'kind'>;
export type Fault = z.infer<typeof faultSchema>;
export type Behaviour = z.infer<typeof behaviourSchema>;
export type ScriptedToolCall = z.infer<typeof toolCallSchema>;

/** Returns an answer with this text. */
export function say(text: string, options: AnswerOptions = {}): Answer {
  return { kind: 'answer', ...options, text };
}

/** Returns an answer that calls tools and says nothing. */
export function callTools(...toolCalls: ScriptedToolCall[]): Answer {
  return { kind: 'answer', text: '', toolCalls };
}
