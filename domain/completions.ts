/** A message of a conversation that a client keeps itself, as the chat completions of OpenAI have it. */
export interface ClientMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly text: string;
}

/** An earlier question and its answer; one of them may be missing. */
export interface PastExchange {
  readonly question: string | null;
  readonly answer: string | null;
}

/** A conversation as a chat has it: the earlier messages, and the one that asks for an answer. */
export interface ClientConversation {
  readonly past: readonly PastExchange[];
  readonly question: string;
}

const INSTRUCTIONS = 'Instructions of the application through which the user writes:';

/**
 * Returns a client's conversation as a chat has it; undefined unless its last message is a user's. Messages of the
 * system go before the user's first one, because an agent has its own system prompt. Messages that follow each other
 * in one role are one.
 */
export function toConversation(messages: readonly ClientMessage[]): ClientConversation | undefined {
  const instructions = messages.filter(isInstruction).map(({ text }) => text);
  const said = messages.filter((message) => !isInstruction(message));
  if (said.at(-1)?.role !== 'user') return undefined;
  const exchanges = toExchanges(said);
  const head = instructions.length === 0 ? [] : [INSTRUCTIONS, ...instructions, 'The message of the user:'];
  const first = exchanges.findIndex(({ question }) => question !== null);
  const whole = exchanges.map(({ question, answer }, index) => ({
    question: index === first ? joined([...head, question]) : question,
    answer,
  }));
  const question = whole.at(-1)?.question ?? '';
  return { past: whole.slice(0, -1), question };
}

function isInstruction({ role }: ClientMessage): boolean {
  return role === 'system' || role === 'developer';
}

function toExchanges(said: readonly ClientMessage[]): PastExchange[] {
  const exchanges: { question: string | null; answer: string | null }[] = [];
  for (const { role, text } of said) {
    const last = exchanges.at(-1);
    if (role === 'assistant') {
      if (last === undefined) exchanges.push({ question: null, answer: text });
      else last.answer = joined([last.answer, text]);
    } else if (last === undefined || last.answer !== null) exchanges.push({ question: text, answer: null });
    else last.question = joined([last.question, text]);
  }
  return exchanges;
}

function joined(texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null).join('\n\n');
}
