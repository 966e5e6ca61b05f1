import type { SecretBox } from '../../db/core/index.ts';
import type { TurnStream } from '../../db/stream/index.ts';
import type { ClaimedTurn } from '../../db/turns/index.ts';
import { toStorableText } from '../../domain/core/text.ts';
import { estimateTokens, MAX_ANSWER_CHARACTERS, type TokenUsage } from '../../domain/turns/index.ts';
import {
  type ChosenModel,
  chooseModel,
  type EndReason,
  type FindAdapter,
  type ModelMessage,
  ProviderFailure,
} from '../llm/index.ts';
import { modelMessages } from './model-messages.ts';

/** What a model made of a turn, complete or not. */
export interface ModelAnswer {
  readonly text: string;
  /** Absent when no model could be asked. */
  readonly asked: { readonly chosen: ChosenModel; readonly usage: TokenUsage } | undefined;
  /** Absent when the answer broke off; `failure` then says why, unless it was stopped. */
  readonly endReason: EndReason | undefined;
  readonly failure: string | undefined;
}

interface AnswerDeps {
  readonly box: SecretBox;
  readonly findAdapter: FindAdapter;
}

/**
 * Asks the model and streams what it says. Never throws for what a provider does wrong, nor when `stop` aborts: the
 * answer then holds what came until then.
 */
export async function answerTurn(
  { box, findAdapter }: AnswerDeps,
  turn: ClaimedTurn,
  stream: Pick<TurnStream, 'append'>,
  stop: AbortSignal,
): Promise<ModelAnswer> {
  const messages = modelMessages(turn.agent.systemPrompt, turn.history);
  let chosen: ChosenModel | undefined;
  let text = '';
  let reported: TokenUsage | undefined;
  let endReason: EndReason | undefined;
  let failure: string | undefined;
  try {
    chosen = chooseModel(box, turn.accounts, turn.agent);
    const { temperature, maxTokens } = turn.agent;
    const request = { account: chosen.account, model: chosen.model, messages, temperature, maxTokens };
    for await (const event of findAdapter(chosen)(request, stop)) {
      if (event.type === 'text') {
        const room = MAX_ANSWER_CHARACTERS - text.length;
        text += show(event.text, room, stream);
        if (event.text.length > room) throw tooLong();
      } else if (event.type === 'usage') reported = event.usage;
      else endReason = event.reason;
    }
    failure = endReason === undefined ? undefined : faultOf(text, endReason, chosen);
  } catch (error) {
    if (!stop.aborted && !(error instanceof ProviderFailure)) throw error;
    failure = error instanceof ProviderFailure ? error.message : undefined;
  }
  const asked = chosen && { chosen, usage: reported ?? estimateUsage(messages, text) };
  return { text, asked, endReason, failure };
}

/** What of an addition the answer still has room for; it is shown before anything is made of it. */
function show(addition: string, room: number, stream: Pick<TurnStream, 'append'>): string {
  const kept = toStorableText(addition.slice(0, room));
  stream.append(kept);
  return kept;
}

function tooLong(): ProviderFailure {
  return new ProviderFailure(`The answer was longer than ${MAX_ANSWER_CHARACTERS.toLocaleString('en')} characters`);
}

function faultOf(text: string, reason: EndReason, { account }: ChosenModel): string | undefined {
  if (reason === 'content_filter') return `${account.name} withheld the answer: its content filter stopped it`;
  if (text !== '') return undefined;
  if (reason === 'length')
    return `${account.name} used up its token limit before it said anything; raise the agent's max_tokens`;
  return `${account.name} answered with nothing`;
}

function estimateUsage(messages: readonly ModelMessage[], text: string): TokenUsage {
  const inputTokens = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  return { inputTokens, outputTokens: estimateTokens(text), estimated: true };
}
