import type { Random } from '../../test/support/random.ts';
import { between, pick, weighted } from '../random.ts';
import type { PlannedEffect, PlannedTurn } from './turn-plan.ts';

/** Names of the agents of every tenant, by their depth in a tree. */
export const AGENTS = ['Lead', 'Helper', 'Hand'] as const;

/**
 * The model that the first account of every tenant asks for; the second one asks for another, which is known to take no
 * tools natively.
 */
export const FIRST_MODEL = 'scripted-a';
export const SECOND_MODEL = 'sonar';

/** The number of sub-agents below each agent of a level. */
type TreeShape = readonly number[];

/** The name of the agent of another platform that work is given to, and what it does with it. */
export const REMOTE_AGENT = 'Baker';
const REMOTE_WORK = { answer: 52, late: 20, twice: 10, fail: 10, cut: 5, silent: 3 };

/** The ends of the answers to a question: how it was answered, and that nobody has in time. */
const DEFAULT_ANSWER = 'none';
const ANSWERS = ['mail', 'slack', 'api', 'stranger', DEFAULT_ANSWER];
/** What is known of a question only when it is sent. */
const BLANKS = { who: '{who}', deadline: '{deadline}' };

/** Fills in whom a question asks, and until when. */
export function fillIn(content: string, { who, deadline }: Readonly<typeof BLANKS>): string {
  return content.replace(BLANKS.who, who).replace(BLANKS.deadline, deadline);
}

/** What the calls of a writer reach. */
export interface Reach {
  readonly sinkUrl: string;
  /** The languages of snippets; undefined where nothing confines commands, so that none are written. */
  readonly languages?: readonly SnippetLanguage[] | undefined;
}

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The text of the scripted model before a fenced call. */
const FENCE_WORDS = 'I will use a tool.';

/** Writes messages that tell the scripted model what to do; which, is for the dice to say. */
export class ScriptWriter {
  readonly #random: Random;
  readonly #reach: Reach;
  #tokens: number;

  /** Counts its effects from a number on, so that no two writers of a run name the same. */
  constructor(random: Random, reach: Reach, firstToken = 0) {
    this.#random = random;
    this.#reach = reach;
    this.#tokens = firstToken;
  }

  /** Returns an answer without tools, slow enough to be hit. */
  plain(name: string): PlannedTurn {
    const text = words(name, between(this.#random, 6, 24));
    return { ...EMPTY, content: `${name} ${this.#say(text)}`, text };
  }

  /** Writes some rounds of tool calls, several at a time, then an answer. */
  tools(name: string, mostRounds = 3): PlannedTurn {
    const rounds = Array.from({ length: between(this.#random, 1, mostRounds) }, (_, at) =>
      this.#round(`${name}r${at}`),
    );
    const text = words(name, between(this.#random, 3, 12));
    return {
      ...EMPTY,
      content: `${name} ${[...rounds.map(({ directives }) => directives), this.#say(text)].join(' [[then]] ')}`,
      text: [...rounds.map((round) => round.text), text].filter((part) => part !== '').join('\n\n'),
      effects: rounds.flatMap(({ effects }) => effects),
      callCount: rounds.reduce((sum, { callCount }) => sum + callCount, 0),
      stepCount: rounds.length + 1,
    };
  }

  /** Writes work that is delegated to sub-agents, who may delegate it in turn. */
  tree(name: string, shape: TreeShape, depth = 0): PlannedTurn {
    const [width = 0, ...below] = shape;
    if (width === 0) return this.#random.chance(0.5) ? this.tools(name, 1) : this.plain(name);
    const children = Array.from({ length: width }, (_, at) => this.tree(`${name}.${at}`, below, depth + 1));
    const agent = AGENTS[depth + 1] ?? '';
    const calls = children.map(({ content }, at): Call => ({
      name: 'agent_spawn',
      arguments: { agent, task: content, title: `part ${at} of ${name}` },
    }));
    const own = this.#random.chance(0.3) ? this.#toolCall() : undefined;
    const all = own === undefined ? calls : [...calls, own.call];
    const text = words(name, between(this.#random, 3, 8));
    // Delegation by a fence is taken from any model, also beside native calls.
    const fenced = calls.filter(() => this.#random.chance(0.2));
    const directives = all.map((each) => (fenced.includes(each) ? inText(each) : asAsked(each)));
    return {
      ...EMPTY,
      content: `${name} ${directives.join(' ')} [[then]] ${this.#say(text)}`,
      text: [...fenced.map(() => FENCE_WORDS), text].join('\n\n'),
      effects: own?.effects ?? [],
      callCount: all.length,
      stepCount: 2,
      children,
    };
  }

  /** Writes work that is given to an agent of another platform, whatever that does with it, then an answer. */
  remote(name: string): PlannedTurn {
    const task = `${weighted(this.#random, REMOTE_WORK)} ${name}`;
    return this.#oneCall(name, call('agent_spawn', { agent: REMOTE_AGENT, task }));
  }

  /** Writes a question with an option for each way of answering it, then an answer. */
  question(name: string): PlannedTurn {
    const options = ANSWERS.map((answer) => `${name}-${answer}`);
    const asked = { question: `Which one, ${name}?`, options, ...BLANKS, default: `${name}-${DEFAULT_ANSWER}` };
    return this.#oneCall(name, call('ask_person', asked));
  }

  /** Writes a request that waits for an approval, then an answer. */
  approval(name: string): PlannedTurn {
    const { sinkUrl } = this.#reach;
    return this.#oneCall(
      name,
      call('http_request', { url: `${sinkUrl}/once/${name}`, method: 'POST', body: { name } }),
    );
  }

  /**
   * Writes a failover: the first account fails, the second one answers; some of the first one's text may have been
   * shown.
   */
  failover(name: string): PlannedTurn {
    const question = words(name, 10);
    const text = `You said: ${question}`;
    const only = `[[only ${FIRST_MODEL}]]`;
    const fault = pick(this.#random, [
      'same',
      'other',
      '[[status 500]]',
      '[[status 503]]',
      '[[error-in-stream]]',
      '429',
    ]);
    if (fault === '429') {
      const content = `${question} [[status 429 retry-after 1]] [[times 1]] ${only}`;
      return { ...EMPTY, content, text };
    }
    if (fault === 'same') {
      const content = `${question} [[say ${text}]] [[slow 12 chunks every 80ms]] [[cut after 6 chunks]] ${only}`;
      return { ...EMPTY, content, text };
    }
    const directive = fault === 'other' ? '[[cut after 5 chunks]]' : fault;
    // Numbered words before the fault become a sentence after it.
    const mayDiverge = fault === 'other' || fault === '[[error-in-stream]]';
    return { ...EMPTY, content: `${question} ${directive} ${only}`, text, mayDiverge };
  }

  /** Returns both accounts are busy, so the turn waits for one. */
  wait(name: string): PlannedTurn {
    const question = words(name, 8);
    const times = between(this.#random, 2, 3);
    const content = `${question} [[status 429 retry-after ${between(this.#random, 1, 3)}]] [[times ${times}]]`;
    return { ...EMPTY, content, text: `You said: ${question}` };
  }

  /** Returns every account fails every time. */
  failure(name: string): PlannedTurn {
    const fault = pick(this.#random, ['[[status 500]]', '[[cut after 3 chunks]]']);
    return {
      ...EMPTY,
      content: `${words(name, 5)} ${fault}`,
      text: undefined,
      stepCount: 0,
      mayDiverge: true,
      mustFail: true,
    };
  }

  #oneCall(name: string, made: Call): PlannedTurn {
    const text = words(name, between(this.#random, 3, 8));
    const content = `${name} ${asAsked(made)} [[then]] ${this.#say(text)}`;
    return { ...EMPTY, content, text, callCount: 1, stepCount: 2 };
  }

  #round(name: string) {
    const calls = Array.from({ length: between(this.#random, 1, 3) }, () => this.#toolCall());
    const isSpoken = this.#random.chance(0.3);
    const directives = [
      ...(isSpoken ? [`[[say ${name} looks.]]`] : []),
      ...(this.#random.chance(0.4) ? [`[[think ${between(this.#random, 100, 900)}ms]]`] : []),
      ...calls.map(({ call }) => asAsked(call)),
    ];
    return {
      directives: directives.join(' '),
      text: isSpoken ? `${name} looks.` : '',
      effects: calls.flatMap(({ effects }) => effects),
      callCount: calls.length,
    };
  }

  #toolCall(): { readonly call: Call; readonly effects: PlannedEffect[] } {
    const { languages = [] } = this.#reach;
    const [command, snippet] = languages.length > 0 ? [24, 8] : [0, 0];
    const weights = { read: 22, keyed: 20, once: 28, memory: 10, file: 12, time: 8, command, snippet };
    const kind = weighted(this.#random, weights);
    this.#tokens += 1;
    const token = `fx-${this.#tokens}`;
    if (kind === 'time') return { call: call('time_now', { add: `${this.#tokens} minutes` }), effects: [] };
    if (kind === 'file') return { call: call('file_write', { path: `${token}.txt`, content: token }), effects: [] };
    if (kind === 'command') return shellCall(this.#random, token);
    if (kind === 'snippet') {
      const language = languages[this.#random.below(languages.length)] ?? 'javascript';
      return snippetCall(this.#random, token, language);
    }
    if (kind !== 'memory') return this.#request(kind, token);
    const effects = [{ token, effect: kind, key: null, isCut: false }];
    return { call: call('memory_manage', { action: 'add', content: `remember ${token}` }), effects };
  }

  #request(effect: 'read' | 'keyed' | 'once', token: string) {
    const wait = this.#random.chance(0.5) ? between(this.#random, 50, 1_800) : 0;
    const isCut = effect === 'once' && this.#random.chance(0.05);
    const isBusy = effect !== 'once' && this.#random.chance(0.1);
    const url = `${this.#reach.sinkUrl}/${effect}/${token}?wait=${wait}${isCut ? '&cut=1' : ''}${isBusy ? '&busy=1' : ''}`;
    const key = effect === 'keyed' ? `key-${token}` : null;
    const args = {
      url,
      ...(effect !== 'read' && { method: 'POST', body: { token, amount: between(this.#random, 1, 999) } }),
      ...(key !== null && { idempotency_key: key }),
    };
    return { call: call('http_request', args), effects: [{ token, effect, key, isCut }] };
  }

  #say(text: string): string {
    return `[[say ${text}]] [[slow 1 chunks every ${between(this.#random, 30, 180)}ms]]`;
  }
}

const EMPTY = {
  content: '',
  text: undefined,
  effects: [],
  callCount: 0,
  stepCount: 1,
  mayDiverge: false,
  mustFail: false,
  children: [],
} satisfies PlannedTurn;

function words(name: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${name}-w${at}`).join(' ');
}

function call(name: string, args: Call['arguments']): Call {
  return { name, arguments: args };
}

/** Returns the call in the form that the request asks for: native, or a fence where the model takes no tools. */
function asAsked({ name, arguments: args }: Call): string {
  return `[[call ${name} ${JSON.stringify(args)}]]`;
}

function inText({ name, arguments: args }: Call): string {
  return `[[fence ${name} ${JSON.stringify(args)}]]`;
}

/** The file of a workspace in which each shell command leaves a line. */
export const COMMAND_LOG = 'commands.log';

/** The languages of snippets. */
export type SnippetLanguage = 'javascript' | 'python';

/** A call that runs in the sandbox, and how to recognise it. */
interface CommandCall {
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  readonly effects: PlannedEffect[];
}

/** Writes a shell command that leaves its token in the workspace, and then says that it did. */
function shellCall(random: Random, token: string): CommandCall {
  const [before, after] = [pause(random), pause(random)];
  const command = `${before}; echo ${token} >> ${COMMAND_LOG}; ${after}; echo ${commandSays(token)}`;
  const effects = [{ token, effect: 'command' as const, key: null, isCut: false }];
  return { call: { name: 'shell_run', arguments: { command } }, effects };
}

/** Writes a snippet whose value no other one has. */
function snippetCall(random: Random, token: string, language: SnippetLanguage): CommandCall {
  const wait = language === 'python' ? `__import__('time').sleep(${between(random, 0, 900) / 1_000})\n` : '';
  const code = `${wait}input['words'] + ' ' + input['token']`;
  const input = { words: 'done', token };
  const effects = [{ token, effect: 'snippet' as const, key: null, isCut: false }];
  return { call: { name: 'code_run', arguments: { language, code, input } }, effects };
}

/** Returns what a call that succeeded tells the model. */
export function commandSays(token: string): string {
  return `done ${token}`;
}

function pause(random: Random): string {
  return `sleep ${between(random, 0, 900) / 1_000}`;
}
