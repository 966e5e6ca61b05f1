import { FenceSplitter } from '../tool-calls/index.ts';
import { resultText, toldStatus } from './call-result.ts';
import type { ModelMessage, ReplyState } from './model-message.ts';
import type { CallRecord, StepRecord } from './turn-record.ts';
import { toWireName } from './wire-name.ts';

/** The form of calls and results: the provider's own, or fences in the text. */
export type CallForm = 'native' | 'fenced';

/** Returns a reply with its results: messages that stay together or go together. */
export function renderStep(step: StepRecord, form: CallForm): ModelMessage[] {
  if (step.calls.length > 0) return form === 'native' ? renderNative(step) : renderFenced(step);
  return isBlank(step.text) ? [] : [{ role: 'assistant', content: step.text, ...stateOf(step.state) }];
}

/** Returns whether a provider would refuse `text` as an empty message. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Returns the field `state` of an assistant message, when there is one. */
export function stateOf(state: ReplyState | null): { readonly state?: ReplyState } {
  return state === null ? {} : { state };
}

function renderNative({ text, rawText, calls, state }: StepRecord): ModelMessage[] {
  return [
    {
      role: 'assistant',
      content: isBlank(text) ? '' : text,
      toolCalls: calls.map((call) => ({ id: call.id, name: toWireName(call.name), arguments: call.arguments })),
      // A reply with fences has another shape than this message.
      ...stateOf(rawText === null ? state : null),
    },
    ...calls.map((call): ModelMessage => ({
      role: 'tool',
      callId: call.id,
      name: toWireName(call.name),
      content: resultText(call),
      isError: call.status !== 'success',
    })),
  ];
}

function renderFenced(step: StepRecord): ModelMessage[] {
  const results = step.calls.map((call) =>
    fence('tool_result', JSON.stringify({ name: call.name, status: toldStatus(call), result: resultText(call) })),
  );
  return [
    { role: 'assistant', content: fencedReply(step) },
    { role: 'user', content: results.join('\n\n') },
  ];
}

/** Returns the reply as the model wrote it, if all its calls were fenced; else its text with a fence for each call. */
function fencedReply({ text, rawText, calls }: StepRecord): string {
  if (rawText !== null && countFences(rawText) === calls.length) return rawText;
  const fences = calls.map((call) => fence('tool_call', callJson(call)));
  return [...(isBlank(text) ? [] : [text]), ...fences].join('\n\n');
}

function callJson({ name, arguments: args }: CallRecord): string {
  return JSON.stringify({ name, arguments: args });
}

function countFences(text: string): number {
  const splitter = new FenceSplitter();
  splitter.push(text);
  return splitter.end().calls.length;
}

/** Returns a fence that no run of backticks in `body` can close. */
function fence(info: string, body: string): string {
  const longest = (body.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${info}\n${body}\n${mark}`;
}
