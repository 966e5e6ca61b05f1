import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import { AGENT_SPAWN, MAX_CALLS_PER_REPLY } from '../../domain/tool-calls/tool-call.ts';
import { TOOL_DESCRIBE } from '../../domain/tool-offer/split-offer.ts';
import { estimateTokens, type ToolDefinition } from '../../domain/transcripts/model-message.ts';
import type { ModelAdapter, ModelEvent, RenderedTranscript } from './model-adapter.ts';
import { asList, asObject, asText, parseJson } from './transport/json.ts';

const WORD_INTERVAL_MS = 25;
const MAX_QUOTE_CHARACTERS = 500;
const INTRODUCTION = 'This is the demo model, a script and not an LLM.';

/**
 * Plays a scripted model that needs no network, so that a first conversation works. It says that it is no LLM. It calls
 * the tools that a message asks for in one of a few set phrases, then reports their results.
 */
export const demo: ModelAdapter = async function* stream(request, stop) {
  const { text, calls, usage } = await request.transcript.read((transcript) => {
    const reply = scriptedReply(transcript);
    return { ...reply, usage: usageOf(transcript, reply.text) };
  });
  for (const word of text.split(/(?<=\s)/)) {
    yield { type: 'text', text: word };
    await sleep(WORD_INTERVAL_MS, undefined, { signal: stop });
  }
  for (const { name, arguments: args } of calls) {
    yield { type: 'tool_call', call: { name, argumentsText: JSON.stringify(args) } };
  }
  yield usage;
  yield { type: 'end', reason: 'done' };
};

interface Reply {
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

function scriptedReply({ messages, tools }: RenderedTranscript): Reply {
  const results = resultsAtEnd(messages);
  if (results !== '') return { text: results, calls: [] };
  const question = withoutData(messages.at(-1)?.content ?? '');
  const { calls, problems } = chooseCalls(question, tools);
  if (calls.length === 0 && problems.length === 0) return { text: plainAnswer(question, tools), calls };
  const names = calls.map(({ name }) => `\`${name}\``).join(', ');
  const called = calls.length > 0 ? [`Your message names a tool, so it calls ${names}.`] : [];
  return { text: [INTRODUCTION, ...called, ...problems].join(' '), calls };
}

/** Describes the results of the newest reply's calls; '' when the conversation does not end with results. */
function resultsAtEnd(messages: RenderedTranscript['messages']): string {
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  const results = messages.slice(from).map((message) => (message.role === 'tool' ? report(message) : ''));
  return results.join('\n\n');
}

type Result = Pick<Extract<RenderedTranscript['messages'][number], { role: 'tool' }>, 'name' | 'content' | 'isError'>;

/** Reports the result of a call: in a sentence for tools of the set phrases, anything else as it came. */
function report({ name, content, isError }: Result): string {
  if (isError) return `\`${name}\` answered with an error: ${shown(content)}`;
  return SENTENCES[name]?.(content) ?? `\`${name}\` answered: ${shown(content)}`;
}

/** Puts a result into a sentence, by the tool; undefined when it has another form. */
const SENTENCES: Readonly<Record<string, (content: string) => string | undefined>> = {
  time_now: (content) => {
    const { time, zone, weekday } = fieldsOf(content);
    const [, day, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(asText(time)) ?? [];
    return day === undefined ? undefined : `It is ${clock} (${asText(zone)}) on ${asText(weekday)}, ${day}.`;
  },
  math_evaluate: (content) => (/^-?[\d.]{1,50}$/.test(content) ? `The result is ${content}.` : undefined),
  file_write: (content) => {
    const path = asText(fieldsOf(content)['path']);
    return path === '' ? undefined : `The file \`${quote(path)}\` is written.`;
  },
  memory_manage: (content) => {
    const memory = asText(fieldsOf(content)['content']);
    return memory === '' ? undefined : `Remembered: ${quote(memory)}.`;
  },
};

/** Returns the fields of a result that is an object of JSON; none of any other. */
function fieldsOf(content: string): ReturnType<typeof asObject> {
  return content.startsWith('{') ? asObject(parseJson(content)) : {};
}

/** Returns a result as it is quoted: JSON in a block of code, with a line for each value. */
function shown(content: string): string {
  if (!/^\s*[[{]/.test(content)) return quote(content);
  try {
    const json = JSON.stringify(parseExactJson(content), null, 2);
    return `\n\n${FENCE}json\n${quote(json)}\n${FENCE}`;
  } catch {
    return quote(content);
  }
}

const FENCE = '```';
const END_OF_DATA = /^[0-9a-f]{12}>>$/;

/** Returns what a person wrote, without the data that precedes it in the message. */
function withoutData(message: string): string {
  const lines = message.split('\n');
  return lines
    .slice(lines.findLastIndex((line) => END_OF_DATA.test(line)) + 1)
    .join('\n')
    .trim();
}

function plainAnswer(question: string, tools: RenderedTranscript['tools']): string {
  const known = examplesOf(tools).map((example) => `\`${example}\``);
  const offer = known.length === 0 ? [] : [`It calls this agent's tools when it is told so: try ${known.join(', ')}.`];
  return [
    INTRODUCTION,
    ...(question === '' ? [] : [`You wrote: "${quote(question)}".`]),
    'The message was stored, a durable workflow picked it up, and this answer came back as a stream.',
    ...offer,
    'To talk to a real model, add a provider account: under Providers in the console.',
  ].join(' ');
}

function quote(text: string): string {
  return text.length > MAX_QUOTE_CHARACTERS ? `${text.slice(0, MAX_QUOTE_CHARACTERS)}…` : text;
}

function usageOf({ messages }: RenderedTranscript, text: string): ModelEvent {
  const inputTokens = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  return { type: 'usage', usage: { inputTokens, outputTokens: estimateTokens(text), estimated: true } };
}

/** A call that the demo model makes. */
interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Numbers in arguments reach a tool as they were written. */
const EXACT = { isExact: true };

/** The arguments that are named when a line makes no call. */
const MAX_NAMED = 5;

interface Phrase {
  readonly tool: string;
  /** Matched against a whole line; the matched named groups become the arguments. */
  readonly pattern: RegExp;
  /** A line that matches, for people who ask what they can write. */
  readonly example?: string;
  readonly more?: DemoCall['arguments'];
}

const PHRASES: readonly Phrase[] = [
  { tool: AGENT_SPAWN, pattern: /^delegate to (?<agent>[^:]+):(?<task>.+)$/i, example: 'delegate to <agent>: <task>' },
  {
    tool: 'file_write',
    pattern: /^write (?:the )?file (?<path>[^\s:]+)\s*:\s*(?<content>\S.*)$/i,
    example: 'write file notes.md: hello',
  },
  { tool: 'file_read', pattern: /^read (?:the )?file (?<path>\S+?)[.!]?$/i },
  { tool: 'file_list', pattern: /^list (?:the |my |all )?files[.!?]?$/i },
  { tool: 'math_evaluate', pattern: /^calculate:? (?<expression>\S.*?)[?!]?$/i, example: 'calculate 2+3*4' },
  { tool: 'math_evaluate', pattern: /^what is (?<expression>[\d(][\d\s.+*/^()-]*)\?*$/i },
  { tool: 'memory_manage', pattern: /^what do you remember about (?<content>[^?]+)\?*$/i, more: { action: 'search' } },
  { tool: 'memory_manage', pattern: /^what do you remember\?*$/i, more: { action: 'list' } },
  { tool: 'memory_manage', pattern: /^remember:?(?: that)? (?<content>\S.*)$/i, more: { action: 'add' } },
  {
    tool: 'time_now',
    pattern: /^what time is it(?: in (?<zone>[A-Z]\w*(?:\/\w+)*))?[?!.]*$/i,
    example: 'what time is it',
  },
];

/** The request of a message to the demo model. */
interface Choice {
  /** One for each line that asks for a call; tools that are not offered are ignored. */
  readonly calls: readonly DemoCall[];
  /** Why lines that name a tool make no call, in words. */
  readonly problems: readonly string[];
}

/** Reads what a message asks for, line by line. */
export function chooseCalls(message: string, tools: readonly ToolDefinition[]): Choice {
  const lines = message.split('\n').map((line) => line.trim());
  const read = lines.map((line) => callByName(line, tools) ?? callByPhrase(line, tools));
  const calls = read.filter((each) => each !== undefined && 'name' in each);
  const problems = read.flatMap((each) => (each !== undefined && 'problem' in each ? [each.problem] : []));
  return { calls: calls.slice(0, MAX_CALLS_PER_REPLY), problems: problems.slice(0, MAX_CALLS_PER_REPLY) };
}

/** Returns lines that make the model call tools that it is offered. */
function examplesOf(tools: readonly ToolDefinition[]): readonly string[] {
  const offered = new Set(tools.map(({ name }) => name));
  return PHRASES.flatMap(({ tool, example }) => (example !== undefined && offered.has(tool) ? [example] : []));
}

function callByPhrase(line: string, tools: readonly ToolDefinition[]): DemoCall | undefined {
  for (const { tool, pattern, more } of PHRASES) {
    const groups = tools.some(({ name }) => name === tool) ? pattern.exec(line) : null;
    if (groups === null) continue;
    const said = Object.entries(groups.groups ?? {}).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value.trim()] as const],
    );
    if (said.some(([, value]) => value === '')) continue;
    return { name: tool, arguments: { ...Object.fromEntries(said), ...more } };
  }
  return undefined;
}

type Reading = DemoCall | { readonly problem: string };

/** Reads `use <tool>`, followed by JSON or by the text of one argument. */
function callByName(line: string, tools: readonly ToolDefinition[]): Reading | undefined {
  const [start, name = ''] = /^(?:please )?use (?:the tool )?`?([\w-]+)`?[.:]?/i.exec(line) ?? [''];
  const rest = line.slice(start.length).trim();
  const tool = tools.find((offered) => offered.name === name);
  if (tool === undefined) return callOfNamed(name, rest, tools);
  if (rest === '') return { name, arguments: {} };
  if (!rest.startsWith('{')) return callWithText(tool, rest, start.endsWith(':'));
  const given = parseJson(rest, EXACT);
  return given === undefined ? { problem: wordsFor(tool) } : { name, arguments: asObject(given) };
}

// A tool that is known by its name alone is called if JSON is given, and described first otherwise.
function callOfNamed(name: string, rest: string, tools: readonly ToolDefinition[]): DemoCall | undefined {
  if (name === '' || tools.every((offered) => offered.name !== TOOL_DESCRIBE.name)) return undefined;
  const given = rest.startsWith('{') ? parseJson(rest, EXACT) : undefined;
  if (given !== undefined) return { name, arguments: asObject(given) };
  return { name: TOOL_DESCRIBE.name, arguments: { names: [name] } };
}

// Without a colon the line may be ordinary text, unless the tool requires something.
function callWithText(tool: ToolDefinition, text: string, isGiven: boolean): Reading {
  const { name } = tool;
  const { required, properties } = parametersOf(tool);
  if (required.length > 1) return { problem: wordsFor(tool) };
  const optional = isGiven ? Object.keys(properties).find((key) => takesText(properties[key])) : undefined;
  const key = required[0] ?? optional;
  if (key !== undefined)
    return { name, arguments: { [key]: takesText(properties[key]) ? text : (parseJson(text, EXACT) ?? text) } };
  return isGiven ? { problem: wordsFor(tool) } : { name, arguments: {} };
}

function parametersOf({ parameters }: ToolDefinition) {
  const required = asList(parameters['required']).filter((key) => typeof key === 'string');
  return { required, properties: asObject(parameters['properties']) };
}

function takesText(property: unknown): boolean {
  const { type = 'string' } = asObject(property);
  return type === 'string' || asList(type).includes('string');
}

function wordsFor(tool: ToolDefinition): string {
  const { required, properties } = parametersOf(tool);
  const keys = (required.length > 0 ? required : Object.keys(properties)).slice(0, MAX_NAMED);
  const example = keys.map((key) => `${JSON.stringify(key)}: ...`).join(', ');
  return `\`${tool.name}\` takes its arguments as JSON: \`use ${tool.name} {${example}}\`.`;
}
