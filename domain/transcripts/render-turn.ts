import { type CallStatus, type FinalCallStatus, MAY_HAVE_TAKEN_EFFECT } from '../tool-calls/tool-call.ts';
import { defuseFences } from '../tool-calls/fence-line.ts';
import { FenceSplitter } from '../tool-calls/fence-splitter.ts';
import { type FinalTurnStatus, joinAnswer, separatorAfter } from '../turns.ts';
import type { RenderedAttachments } from './attachments.ts';
import type { ModelMessage, ModelToolCall, ReplyState } from './model-message.ts';

/** The messages of a turn, in the parts that can be left out. */
export interface RenderedTurn {
  readonly question: readonly ModelMessage[];
  readonly steps: readonly (readonly ModelMessage[])[];
  readonly ending: readonly ModelMessage[];
}

type StoredAnswer = NonNullable<TurnRecord['answer']>;

/** How a turn is rendered. */
export interface TurnView {
  readonly form: CallForm;
  readonly asker: Asker;
  /** Inserted before the question of the running turn; '' for nothing. */
  readonly preface: string;
  /** Renders the files that came with the turn's question. */
  readonly attachmentsOf: (fileIds: readonly string[]) => RenderedAttachments;
}

/** Renders an ended turn. A turn without an answer had it excluded, together with its steps. */
export function renderPastTurn(turn: TurnRecord, view: TurnView): RenderedTurn {
  const { question, steps, answer, reportOf } = turn;
  const { form } = view;
  if (reportOf != null) return renderReport(reportOf, answer);
  const asked = question === null || isBlank(question) ? [] : [questionMessage(question, turn, view)];
  if (answer === null) return { question: asked, steps: [], ending: [] };
  const last = steps.at(-1);
  // The last reply is the end of the answer, unless the turn broke off at its calls.
  const closing = last?.calls.length === 0 ? last : undefined;
  const before = closing === undefined ? steps : steps.slice(0, -1);
  return {
    question: asked,
    steps: before.map((step) => renderStep(step, form)),
    ending: renderEnding(answer, before, closing),
  };
}

// For the agent of the chat the result is news, not something that it said.
function renderReport(title: string, answer: StoredAnswer | null): RenderedTurn {
  const content = answer === null ? '' : `[The task "${title}" has ended. Its result:]\n\n${answer.content}`;
  const question: ModelMessage[] = content === '' ? [] : [{ role: 'user', content: defuseFences(content) }];
  return { question, steps: [], ending: [] };
}

/** Returns the turn that runs: its question, a person's word for word, and the steps so far. */
export function renderRunningTurn(turn: TurnRecord, view: TurnView): RenderedTurn {
  const { question, steps } = turn;
  return {
    question: question === null ? [] : [withPreface(view.preface, questionMessage(question, turn, view))],
    steps: steps.map((step) => renderStep(step, view.form)),
    ending: [],
  };
}

function withPreface(preface: string, message: ModelMessage): ModelMessage {
  return preface === '' ? message : { ...message, content: `${preface}\n\n${message.content}` };
}

function renderEnding(
  answer: StoredAnswer,
  before: readonly StepRecord[],
  closing: StepRecord | undefined,
): ModelMessage[] {
  const text = restOf(answer, joinAnswer(before.map((step) => step.text)));
  const hasNothing = isBlank(text) && before.length === 0;
  // The text of a failed turn is ours, not the model's.
  if (answer.status === 'failed' && hasNothing) return [];
  const content = [text, endingNote(answer)].filter((part) => !isBlank(part)).join('\n\n');
  if (content === '') return [];
  const state = closing !== undefined && closing.text === content ? closing.state : null;
  return [{ role: 'assistant', content, ...stateOf(state) }];
}

/** Returns the part of the answer after `said`, the texts of the earlier steps. */
function restOf({ content, status, error }: StoredAnswer, said: string): string {
  if (content === said || (status === 'failed' && content === error)) return '';
  const before = said + separatorAfter(said);
  return content.startsWith(before) ? content.slice(before.length) : content;
}

function endingNote({ status, error }: StoredAnswer): string {
  if (status === 'completed') return '';
  if (status === 'interrupted') return '[The user interrupted this answer here.]';
  return error === null ? '[This answer failed.]' : `[This answer failed: ${defuseFences(error)}]`;
}

// The files come first, as the thing that the question is about.
function questionMessage(
  question: string,
  { fileIds, isPromptOfRun = false }: TurnRecord,
  { asker, attachmentsOf }: TurnView,
): ModelMessage {
  const content = asker === 'user' && !isPromptOfRun ? question : defuseFences(question);
  if (fileIds == null || fileIds.length === 0) return { role: 'user', content };
  const { text, images } = attachmentsOf(fileIds);
  return { role: 'user', content: `${text}\n\n${content}`, ...(images.length > 0 && { images }) };
}

/**
 * The asker in a chat: a person, whose words reach the model unchanged, or the delegating agent, which may quote what
 * it has read.
 */
export type Asker = 'user' | 'agent';

/** A turn as the rows keep it, for a transcript to be made of. */
export interface TurnRecord {
  /** The message that is answered; null when it is excluded. */
  readonly question: string | null;
  /** The files that came with it; null or absent for none. */
  readonly fileIds?: readonly string[] | null | undefined;
  /** Whether the message is the prompt of a run, which may quote what a stranger has sent. */
  readonly isPromptOfRun?: boolean | undefined;
  /** The title of the task whose result the answer is, which no model has written here; null or absent for others. */
  readonly reportOf?: string | null | undefined;
  /** The model's replies that led to calls, and the last reply of a turn that had such; in order. */
  readonly steps: readonly StepRecord[];
  /** The stored answer; null while the turn runs, and when it is excluded (its steps are left out then too). */
  readonly answer: { readonly content: string; readonly status: FinalTurnStatus; readonly error: string | null } | null;
}

/** One reply of the model. */
export interface StepRecord {
  /** The part that viewers were shown. */
  readonly text: string;
  /** The reply as the model gave it, where that differs: with its fenced calls. */
  readonly rawText: string | null;
  readonly calls: readonly CallRecord[];
  readonly state: ReplyState | null;
}

/** A call and its result. */
export interface CallRecord extends ModelToolCall {
  readonly status: CallStatus;
  /** The text for the model; null while the call is open. */
  readonly result: string | null;
}

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
function stateOf(state: ReplyState | null): { readonly state?: ReplyState } {
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
    fence('tool_result', JSON.stringify({ name: call.name, status: shownStatus(call), result: resultText(call) })),
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

// What the model reads of a call without a stored result.
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
function shownStatus({ status }: CallRecord): FinalCallStatus {
  if (status === 'planned') return 'interrupted';
  return status === 'running' ? 'unknown' : status;
}

const MAX_CHARACTERS = 64;

/**
 * Returns a tool's name as every provider takes it. Models also call tools that do not exist, by any name; what they
 * called stays in the transcript.
 */
export function toWireName(name: string): string {
  const safe = name.replaceAll(/[^\w-]/g, '_');
  return (/^[A-Za-z_]/.test(safe) ? safe : `_${safe}`).slice(0, MAX_CHARACTERS);
}
