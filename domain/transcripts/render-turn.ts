import { defuseFences } from '../tool-calls/index.ts';
import { joinAnswer, separatorAfter } from '../turns/index.ts';
import type { RenderedAttachments } from './attachments.ts';
import type { ModelMessage } from './model-message.ts';
import { type CallForm, isBlank, renderStep, stateOf } from './render-step.ts';
import type { Asker, StepRecord, TurnRecord } from './turn-record.ts';

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
  /** What is told before the question of the turn that runs; '' for nothing. */
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
  // What a failed turn says in place of an answer are our words, not the model's.
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
