import type { Behaviour } from './behaviour.ts';
import { newestUserIndex, textOf, type ChatMessage } from './chat-request.ts';
import { direct, fencedCall } from './directives.ts';
import type { JournalEntry } from './journal.ts';
import { readScript } from './read-script.ts';

/** Decides a reply; undefined leaves it to the directives of the message. */
export type ScriptFunction = (request: JournalEntry) => Behaviour | undefined;

/** Chooses what to do with each request: the test's script first, then directives, then the default answer. */
export class BehaviourChooser {
  readonly #timesPlayed = new Map<string, number>();
  #script: ScriptFunction | undefined;

  set(script: ScriptFunction | Behaviour | null): void {
    this.#script = typeof script === 'function' ? script : script === null ? undefined : () => script;
    this.#timesPlayed.clear();
  }

  /** Throws a DirectiveError when the message holds a directive that does not exist. */
  choose(request: JournalEntry): Behaviour {
    const scripted = this.#script?.(request);
    if (scripted !== undefined) return scripted;

    const userIndex = newestUserIndex(request.messages);
    const user = request.messages[userIndex];
    const userText = user === undefined ? '' : textOf(user);
    const { steps, plain } = readScript(userText);
    const since = request.messages.slice(userIndex + 1);
    const stepIndex = since.filter((message) => message.role === 'assistant').length;
    const fallback: Behaviour = { kind: 'answer', text: defaultText(plain, since) };

    const directives = steps[stepIndex] ?? [];
    if (directives.length === 0) return fallback;
    const { behaviour, times, only } = direct(directives, plain);
    if (only !== undefined && only !== request.model) return fallback;
    if (times !== undefined && this.#play(`${stepIndex} ${userText}`) > times) return fallback;
    return behaviour.kind === 'answer' ? withText(withCalls(behaviour, request), fallback.text) : behaviour;
  }

  #play(key: string): number {
    const played = (this.#timesPlayed.get(key) ?? 0) + 1;
    this.#timesPlayed.set(key, played);
    return played;
  }
}

type AnswerBehaviour = Extract<Behaviour, { kind: 'answer' }>;

/** Returns the calls of an answer in the form that the request asks for. */
function withCalls({ calls = [], ...answer }: AnswerBehaviour, { body }: JournalEntry): AnswerBehaviour {
  if (calls.length === 0) return answer;
  const { text = '' } = answer;
  if (body.tools != null) return { ...answer, toolCalls: [...(answer.toolCalls ?? []), ...calls] };
  return { ...answer, text: [...(text === '' ? [] : [`${text}\n`]), ...calls.map(fencedCall)].join(''), chunkChars: 7 };
}

/** Returns an answer that stops or waits after n chunks needs more than n chunks to stop in. */
function withText(answer: AnswerBehaviour, fallbackText: string | undefined): AnswerBehaviour {
  if (answer.text !== undefined || answer.chunks !== undefined || answer.fill !== undefined) return answer;
  const stop = answer.cut?.after ?? answer.errorAfter ?? answer.hold?.after;
  return stop === undefined ? { ...answer, text: fallbackText } : { ...answer, chunks: stop + 5 };
}

function defaultText(plain: string, since: readonly ChatMessage[]): string {
  const results = since.filter((message) => message.role === 'tool').map((message) => textOf(message).slice(0, 200));
  if (results.length > 0) return `The tools answered: ${results.join(' | ')}`;
  return `You said: ${plain}`;
}
