import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '../../../domain/core/objects/exact-json.ts';
import { estimateTokens } from '../../../domain/transcripts/index.ts';
import type { ModelAdapter, ModelEvent, RenderedTranscript } from '../model-adapter.ts';
import { chooseCalls, type DemoCall, examplesOf } from './choose-calls.ts';

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
  const results = messages
    .slice(from)
    .map((message) =>
      message.role === 'tool'
        ? `\`${message.name}\` ${message.isError ? 'answered with an error' : 'answered'}: ${shown(message.content)}`
        : '',
    );
  return results.join('\n\n');
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

/** Returns what a person wrote, without the data that stands before it in the message. */
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
