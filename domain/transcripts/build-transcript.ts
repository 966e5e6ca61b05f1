import { type Attachments, renderAttachments } from './attachments.ts';
import {
  estimateToolTokens,
  estimateTranscriptTokens,
  firstTokens,
  type ModelMessage,
  type ToolDefinition,
} from './model-message.ts';
import {
  type Asker,
  type CallForm,
  isBlank,
  type RenderedTurn,
  renderPastTurn,
  renderRunningTurn,
  renderStep,
  type StepRecord,
  type TurnRecord,
  type TurnView,
} from './render-turn.ts';

/** The parts of a transcript. */
export interface TranscriptSource {
  readonly systemPrompt: string;
  /** Oldest first; the last one is the turn that runs. */
  readonly turns: readonly TurnRecord[];
  readonly asker: Asker;
  /** Inserted before the newest question, and changes from step to step; nothing unless given. */
  readonly preface?: string;
  /** The number of the chat's turns before the first one given. */
  readonly firstIndex: number;
  /** The model's context window. */
  readonly windowTokens: number;
  /** Longest answer asked for, for which room is left. */
  readonly maxTokens: number;
  /** The tools that go beside the transcript; in fenced form they are in the system prompt. */
  readonly tools: readonly ToolDefinition[];
  readonly form: CallForm;
  /** The files that the messages name; none unless given. */
  readonly attachments?: Attachments;
  /** Whether the model takes pictures; not, unless given. */
  readonly takesImages?: boolean;
}

/** The most that the files of one message take: of the window, and in tokens. */
const MAX_FILE_SHARE = 1 / 4;
const MAX_FILE_TOKENS = 20_000;

const NO_FILES: Attachments = new Map();
const FILE_READ = 'file_read';

/**
 * Returns the transcript for the next step of the running turn. The same source gives the same transcript, and while
 * nothing is left out, the transcript of a step begins with that of the step before. It is valid: each call has exactly
 * one result, the first message after the system prompt is a user's, and no message is empty. The text that changes
 * from step to step precedes the newest question, so that a provider can cache all that comes before it.
 *
 * It fits the model's window, as far as can be estimated: the oldest turns are dropped first (`firstKeptTurn`), then
 * the oldest steps of the running turn, then the ends of its last results. The system prompt, the newest question and
 * the last step always stay.
 */
export function buildTranscript(source: TranscriptSource): ModelMessage[] {
  const { systemPrompt, turns, firstIndex, form } = source;
  const system: ModelMessage[] = isBlank(systemPrompt) ? [] : [{ role: 'system', content: systemPrompt }];
  const running = turns.at(-1);
  if (running === undefined) return system;
  const budget = budgetOf(source) - estimateTranscriptTokens(system);
  const view = viewOf(source);
  const newest = renderRunningTurn(running, view);
  const rendered = [...turns.slice(0, -1).map((turn) => renderPastTurn(turn, view)), newest];
  const costs = rendered.map((turn) => estimateTranscriptTokens(messagesOf(turn)));
  const first = firstKeptTurn(costs, budget, firstIndex);
  const isTooLong = first === turns.length - 1 && (costs.at(-1) ?? 0) > budget;
  const messages = isTooLong ? fitTurn(running, newest, form, budget) : rendered.slice(first).flatMap(messagesOf);
  return [...system, ...mergeNeighbours(beginWithUser(messages), newest.question[0])];
}

function viewOf({
  form,
  asker,
  preface = '',
  tools,
  windowTokens,
  attachments = NO_FILES,
  takesImages = false,
}: TranscriptSource): TurnView {
  const files = {
    attachments,
    takesImages,
    maxTokens: Math.min(MAX_FILE_TOKENS, Math.floor(windowTokens * MAX_FILE_SHARE)),
    hasFileRead: tools.some(({ name }) => name === FILE_READ),
  };
  return { form, asker, preface, attachmentsOf: (fileIds) => renderAttachments(fileIds, files) };
}

function budgetOf({ windowTokens, maxTokens, tools, form }: TranscriptSource): number {
  const answer = Math.min(maxTokens, Math.floor(windowTokens / 2));
  return windowTokens - answer - (form === 'native' ? estimateToolTokens(tools) : 0);
}

function messagesOf({ question, steps, ending }: RenderedTurn): ModelMessage[] {
  return [...question, ...steps.flat(), ...ending];
}

/** Returns the running turn alone, with as many of its last steps as fit. */
function fitTurn(turn: TurnRecord, { question, steps }: RenderedTurn, form: CallForm, budget: number): ModelMessage[] {
  const left = budget - estimateTranscriptTokens(question);
  const costs = steps.map(estimateTranscriptTokens);
  const first = firstKept(costs, left);
  const last = turn.steps.at(-1);
  if (last === undefined || first < steps.length - 1 || (costs.at(-1) ?? 0) <= left) {
    return [...question, ...steps.slice(first).flat()];
  }
  return [...question, ...renderStep(withShortResults(last, form, left), form)];
}

const CUT_NOTE = "\n[Cut here: the rest does not fit into the model's context.]";
const CUT_NOTE_TOKENS = 20;

/** Returns the step with each result cut to an equal share of what its calls leave of `budget`. */
function withShortResults(step: StepRecord, form: CallForm, budget: number): StepRecord {
  const withoutResults = { ...step, calls: step.calls.map((call) => ({ ...call, result: '' })) };
  const left = Math.max(0, budget - estimateTranscriptTokens(renderStep(withoutResults, form)));
  const share = Math.max(0, Math.floor(left / step.calls.length) - CUT_NOTE_TOKENS);
  return { ...step, calls: step.calls.map((call) => ({ ...call, result: shorten(call.result, share) })) };
}

function shorten(result: string | null, tokens: number): string | null {
  if (result === null) return null;
  const start = firstTokens(result, tokens);
  return start === result ? result : start + CUT_NOTE;
}

const LEFT_OUT: ModelMessage = { role: 'user', content: '[A message is left out here.]' };

// Several providers refuse a conversation that does not begin with the user. An excluded question whose answer stays is
// replaced by a substitute.
function beginWithUser(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const [first] = messages;
  return first === undefined || first.role === 'user' ? messages : [LEFT_OUT, ...messages];
}

/** Joins messages of one role in a row, which some providers refuse; `newest` stays as it is. */
function mergeNeighbours(messages: readonly ModelMessage[], newest: ModelMessage | undefined): ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const joined = message === newest ? undefined : join(merged.at(-1), message);
    if (joined === undefined) merged.push(message);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

function join(before: ModelMessage | undefined, message: ModelMessage): ModelMessage | undefined {
  if (before === undefined || before.role !== message.role || message.role === 'tool') return undefined;
  const content = [before.content, message.content].filter((text) => text !== '').join('\n\n');
  if (message.role === 'system') return { role: 'system', content };
  if (message.role === 'user') {
    const images = [before, message].flatMap((each) => (each.role === 'user' ? (each.images ?? []) : []));
    return { role: 'user', content, ...(images.length > 0 && { images }) };
  }
  if (before.role === 'assistant' && before.toolCalls !== undefined) return undefined;
  return message.toolCalls === undefined
    ? { role: 'assistant', content }
    : { role: 'assistant', content, toolCalls: message.toolCalls };
}

/** Turns at the beginning of a transcript go in blocks of this many, so that it begins alike for several turns. */
const BLOCK_TURNS = 8;

/**
 * Returns the index of the first turn to keep, from the cost of each. The last turn is always kept. When turns are left
 * out and more than a block remains, the first kept turn's index in the chat is a multiple of `BLOCK_TURNS`.
 */
function firstKeptTurn(costs: readonly number[], budget: number, firstIndex: number): number {
  const first = firstKept(costs, budget);
  const index = firstIndex + first;
  if (index === 0 || costs.length - first <= BLOCK_TURNS) return first;
  return first + ((BLOCK_TURNS - (index % BLOCK_TURNS)) % BLOCK_TURNS);
}

/** Returns the first of the items from which on all fit into `budget`; the last one, when it does not fit itself. */
function firstKept(costs: readonly number[], budget: number): number {
  let left = budget;
  let first = costs.length;
  for (const cost of costs.toReversed()) {
    left -= cost;
    if (left < 0) break;
    first -= 1;
  }
  return Math.max(0, Math.min(first, costs.length - 1));
}
