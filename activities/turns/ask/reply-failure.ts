import { type ChosenModel, ProviderFailure } from '../../llm/index.ts';
import type { ReplyReader } from './reply-reader.ts';
import type { StepAttempt } from './step-attempt.ts';

/** Returns why a complete reply is unusable; undefined when it is usable. */
export function replyFailure(
  attempt: StepAttempt,
  reader: ReplyReader,
  { account }: ChosenModel,
): ProviderFailure | undefined {
  const { reason, word } = reader.ending ?? {};
  if (reason === 'content_filter')
    return new ProviderFailure(`${account.name} withheld the reply: its content filter stopped it`);
  if (attempt.answer !== '' || reader.calls.length > 0) return undefined;
  if (reason === 'length')
    return new ProviderFailure(
      `${account.name} used up its token limit before it wrote anything; raise the agent's max_tokens`,
    );
  const why = word === undefined ? '' : `, which ended with "${word}"`;
  return new ProviderFailure(`${account.name} sent an empty reply${why}`);
}
