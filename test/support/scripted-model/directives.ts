import { z } from 'zod';
import { parseExactJson } from '../../../domain/core/exact-json.ts';
import type { AnswerOptions, Behaviour, Fault, ScriptedToolCall } from './behaviour.ts';
import type { Directive } from './read-script.ts';

/** The combined effect of the directives of one reply. */
export interface Direction {
  readonly behaviour: Behaviour;
  /** Apply to the first so many requests with this message only, then answer normally. */
  readonly times: number | undefined;
  /** Apply to requests for this model only. */
  readonly only: string | undefined;
}

interface Draft {
  readonly answer: AnswerOptions;
  readonly fault?: Fault;
  readonly times?: number;
  readonly only?: string;
}

/** A directive that is unknown or malformed. It is answered with 400, so that a typing error in a test is loud. */
export class DirectiveError extends Error {
  override readonly name = 'DirectiveError';
}

/**
 * Combines the directives of one reply, left to right; a fault takes precedence over a reply. `plain` is the text
 * around them.
 */
export function direct(directives: readonly Directive[], plain: string): Direction {
  let draft: Draft = { answer: {} };
  for (const directive of directives) draft = { ...draft, ...read(directive, draft, plain) };
  return {
    behaviour: draft.fault ?? { kind: 'answer', ...draft.answer },
    times: draft.times,
    only: draft.only,
  };
}

type Reader = (args: string, draft: Draft, plain: string) => Partial<Draft>;

const argumentsSchema = z.record(z.string(), z.unknown());

const answering =
  (options: (args: string, draft: Draft, plain: string) => AnswerOptions): Reader =>
  (args, draft, plain) => ({ answer: { ...draft.answer, ...options(args, draft, plain) } });

const failing =
  (fault: (args: string) => Fault): Reader =>
  (args) => ({ fault: fault(args) });

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['say', answering((args) => ({ text: args }))],
  ['echo', answering((args, _draft, plain) => ({ text: Array(integer(args)).fill(plain).join(' ') }))],
  ['slow', answering(readSlow)],
  ['think', answering((args) => ({ thinkMs: duration(args) }))],
  ['reasoning', answering((args) => ({ reasoning: args }))],
  [
    'tool',
    answering((args, draft) => ({
      toolCalls: [...(draft.answer.toolCalls ?? []), readCall(args)],
      text: draft.answer.text ?? '',
    })),
  ],
  [
    'call',
    answering((args, draft) => ({
      calls: [...(draft.answer.calls ?? []), readCall(args)],
      text: draft.answer.text ?? '',
    })),
  ],
  ['fence', answering((args, draft) => ({ text: (draft.answer.text ?? '') + fence(readCall(args)), chunkChars: 7 }))],
  ['cut', answering((args) => ({ cut: { after: afterChunks(args), how: 'destroy' } }))],
  ['fin', answering((args) => ({ cut: { after: afterChunks(args), how: 'fin' } }))],
  ['error-in-stream', answering((args) => ({ errorAfter: args === '' ? 3 : afterChunks(args) }))],
  ['hold', answering(readGate)],
  ['drip', answering(readDrip)],
  ['huge', answering((args) => ({ fill: { bytes: size(args), chunkBytes: 1024 } }))],
  ['bigchunk', answering((args) => ({ fill: { bytes: size(args), chunkBytes: size(args) } }))],
  [
    'split-utf8',
    answering((_args, draft, plain) => ({
      writes: { how: 'utf8' },
      text: draft.answer.text ?? `${plain} Grüße, 世界 🌍!`,
    })),
  ],
  ['keepalive', answering(() => ({ comments: { count: 3, everyMs: 5 } }))],
  ['usage-apart', answering(() => ({ usage: 'apart' }))],
  ['usage-inline', answering(() => ({ usage: 'inline' }))],
  ['no-usage', answering(() => ({ usage: 'none' }))],
  ['usage', answering(readUsage)],
  ['empty', answering(() => ({ text: '' }))],
  ['length', answering(() => ({ finishReason: 'length' }))],
  ['content-filter', answering(() => ({ finishReason: 'content_filter' }))],
  ['finish', answering((args) => ({ finishReason: args }))],
  ['crlf', answering(() => ({ framing: 'crlf' }))],
  ['cr', answering(() => ({ framing: 'cr' }))],
  ['no-space', answering(() => ({ framing: 'no-space' }))],
  ['bom', answering(() => ({ framing: 'bom' }))],
  ['multi-line', answering(() => ({ framing: 'multi-line' }))],
  ['done-twice', answering(() => ({ afterDone: 'done' }))],
  ['chunk-after-done', answering(() => ({ afterDone: 'chunk' }))],
  ['status', failing(readStatus)],
  ['silent', failing(() => ({ kind: 'silent' }))],
  ['stall', failing(() => ({ kind: 'stall' }))],
  ['reset', failing(() => ({ kind: 'reset' }))],
  ['html', failing(() => ({ kind: 'html' }))],
  ['nonsense', failing(() => ({ kind: 'nonsense' }))],
  ['redirect', failing((args) => ({ kind: 'redirect', url: args }))],
  ['times', (args) => ({ times: integer(args) })],
  ['only', (args) => ({ only: args })],
]);

function read(directive: Directive, draft: Draft, plain: string): Partial<Draft> {
  const reader = readers.get(directive.name);
  if (reader === undefined) throw new DirectiveError(`Unknown directive [[${directive.name}]]`);
  try {
    return reader(directive.args, draft, plain);
  } catch (error) {
    if (error instanceof DirectiveError)
      throw new DirectiveError(`[[${directive.name} ${directive.args}]]: ${error.message}`);
    throw error;
  }
}

function readSlow(args: string): AnswerOptions {
  const [, chunks, every] = match(args, /^(\d+) chunks? every (\S+)$/, '40 chunks every 50ms');
  return { chunks: integer(chunks), everyMs: duration(every) };
}

function readGate(args: string): AnswerOptions {
  const [, gate, after] = match(args, /^(\S+)(?: after (\d+) chunks?)?$/, 'gate after 3 chunks');
  return { hold: { gate: gate ?? '', after: integer(after ?? '0') } };
}

function readDrip(args: string): AnswerOptions {
  const [, bytes, every] = match(args, /^(\d+) bytes? every (\S+)$/, '1 byte every 1s');
  return { writes: { how: 'bytes', bytes: integer(bytes), everyMs: duration(every) } };
}

function readUsage(args: string): AnswerOptions {
  const [, prompt, completion, cached] = match(args, /^(-?\d+) (-?\d+)(?: of which (\d+) cached)?$/, '100 20');
  const numbers = { promptTokens: Number(prompt), completionTokens: Number(completion) };
  return { usageNumbers: { ...numbers, ...(cached !== undefined && { cachedTokens: Number(cached) }) } };
}

function readStatus(args: string): Fault {
  const [, status, rest] = match(args, /^(\d{3})(.*)$/, '429 retry-after 7 code insufficient_quota');
  const retryAfter = /\bretry-after (.+?)(?= code |$)/.exec(rest ?? '')?.[1];
  const code = /\bcode (\S+)/.exec(rest ?? '')?.[1];
  return { kind: 'status', status: integer(status), retryAfter, code };
}

function readCall(args: string): ScriptedToolCall {
  const [, name, json] = match(args, /^(\S+)\s*([^]*)$/, 'file_read {"path": "notes.md"}');
  if (json === undefined || json === '') return { name: name ?? '', arguments: {} };
  try {
    return { name: name ?? '', arguments: argumentsSchema.parse(parseExactJson(json)) };
  } catch {
    // Invalid arguments are worth testing, so they are sent unchanged.
    return { name: name ?? '', arguments: json };
  }
}

function fence(call: ScriptedToolCall): string {
  return `I will use a tool.\n${fencedCall(call)}`;
}

/** Returns a call as a fence in the text. */
export function fencedCall(call: ScriptedToolCall): string {
  const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return `\`\`\`tool_call\n{"name": ${JSON.stringify(call.name)}, "arguments": ${args}}\n\`\`\`\n`;
}

function afterChunks(args: string): number {
  return integer(match(args, /^after (\d+) chunks?$/, 'after 5 chunks')[1]);
}

function match(args: string, pattern: RegExp, example: string): RegExpExecArray {
  const found = pattern.exec(args);
  if (found === null) throw new DirectiveError(`write it like "${example}"`);
  return found;
}

function integer(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) throw new DirectiveError(`not a whole number: "${text ?? ''}"`);
  return Number(text);
}

function duration(text: string | undefined): number {
  return measure(text, { ms: 1, s: 1000, m: 60_000 }, '50ms');
}

function size(text: string | undefined): number {
  return measure(text, { B: 1, KB: 1024, MB: 1024 * 1024 }, '10MB');
}

function measure(text: string | undefined, units: Readonly<Record<string, number>>, example: string): number {
  const [, amount, unit] = match(text ?? '', /^(\d+(?:\.\d+)?)([a-zA-Z]+)$/, example);
  const factor = units[unit ?? ''];
  if (factor === undefined) throw new DirectiveError(`unknown unit "${unit ?? ''}", write it like "${example}"`);
  return Math.round(Number(amount) * factor);
}
