import {
  type CallStatus,
  defuseFences,
  FenceSplitter,
  type FinalCallStatus,
  MAY_HAVE_TAKEN_EFFECT,
} from '../tool-calls/index.ts';
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

const NEVER_BEGUN = 'Interrupted: this call was stopped before it was run.';
const UNKNOWN = `Unknown: this call ${MAY_HAVE_TAKEN_EFFECT}. Check before repeating it.`;

// What the model is told of a call without a stored result.
const WORDS: Readonly<Record<CallStatus, string>> = {
  planned: NEVER_BEGUN,
  running: UNKNOWN,
  success: 'Done; the result was not kept.',
  error: 'The call failed; the reason was not kept.',
  unknown: UNKNOWN,
  interrupted: 'Interrupted: this call was stopped, or was never run.',
};

/** Returns the text of a call's result for the model. It is never empty, and a call quoted in it is no call. */
function resultText({ result, status }: CallRecord): string {
  if (result === null) return WORDS[status];
  return result.trim() === '' ? '(empty)' : defuseFences(result);
}

/** Returns the status for the model: an open call of an ended turn gets a final one. */
function toldStatus({ status }: CallRecord): FinalCallStatus {
  if (status === 'planned') return 'interrupted';
  return status === 'running' ? 'unknown' : status;
}
