import { setTimeout as sleep } from 'node:timers/promises';
import { estimateTokens } from '../../domain/turns/index.ts';
import type { ModelAdapter } from './model-adapter.ts';

const WORD_INTERVAL_MS = 25;
const MAX_QUOTE_CHARACTERS = 500;

/** A scripted model that needs no network, so that a first conversation works. It says that it is no LLM. */
export const demo: ModelAdapter = async function* stream({ messages }, stop) {
  const question = messages.at(-1)?.content ?? '';
  const answer = scriptedAnswer(question);
  for (const word of answer.split(/(?<=\s)/)) {
    yield { type: 'text', text: word };
    await sleep(WORD_INTERVAL_MS, undefined, { signal: stop });
  }
  const inputTokens = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  yield { type: 'usage', usage: { inputTokens, outputTokens: estimateTokens(answer), estimated: true } };
  yield { type: 'end', reason: 'done' };
};

function scriptedAnswer(question: string): string {
  const quote = question.length > MAX_QUOTE_CHARACTERS ? `${question.slice(0, MAX_QUOTE_CHARACTERS)}…` : question;
  return (
    `This is the demo model, a script and not an LLM. You wrote: "${quote}". ` +
    'The message was stored, a durable workflow picked it up, and this answer came back as a stream. ' +
    'To talk to a real model, add a provider account with POST /api/providers.'
  );
}
