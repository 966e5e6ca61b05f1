import { json, stream } from '../wire-servers/index.ts';
import { partsOf, type ProviderScript, type ScriptedForm, TOKENS } from './provider-script.ts';

const FINISH = { done: 'stop', length: 'length', content_filter: 'content_filter' } as const;
const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_750_000_000, model: 'scripted' };

/** Chat completions, streamed. */
export const completionForm: ScriptedForm = {
  play: (script) =>
    stream(...chunksOf(script).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'),
  tooLong: json(400, {
    error: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }),
};

function chunksOf({ thought = '', text = '', call, end }: ProviderScript) {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  });
  const args = call === undefined ? [] : partsOf(JSON.stringify(call.args));
  const begun = { index: 0, id: 'call_1', type: 'function', function: { name: call?.name, arguments: '' } };
  const finish = call !== undefined && end === 'done' ? 'tool_calls' : FINISH[end];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...partsOf(thought).map((part) => chunk({ reasoning_content: part })),
    ...partsOf(text).map((part) => chunk({ content: part })),
    ...(call === undefined ? [] : [chunk({ tool_calls: [begun] })]),
    ...args.map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
    chunk({}, finish),
    { ...head, choices: [], usage: usageOf() },
  ];
}

function usageOf() {
  const prompt = TOKENS.fresh + TOKENS.cached;
  return {
    prompt_tokens: prompt,
    completion_tokens: TOKENS.output,
    total_tokens: prompt + TOKENS.output,
    prompt_tokens_details: { cached_tokens: TOKENS.cached },
  };
}
