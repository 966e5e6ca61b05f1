import { json, stream } from '../wire-servers/index.ts';
import { partsOf, type ProviderScript, type ScriptedForm, TOKENS } from './provider-script.ts';

const STOP = { done: 'end_turn', length: 'max_tokens', content_filter: 'refusal' } as const;

/** Anthropic's Messages API, streamed. */
export const messageForm: ScriptedForm = {
  play: (script) => stream(...eventsOf(script)),
  tooLong: json(400, {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  }),
};

const event = (type: string, fields: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

interface BlockScript {
  readonly block: object;
  readonly deltas: readonly object[];
}

function eventsOf({ thought, text = '', call, end }: ProviderScript): string[] {
  const usage = { input_tokens: TOKENS.fresh, cache_read_input_tokens: TOKENS.cached, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
  const blocks = [
    ...(thought === undefined ? [] : [thoughtBlock(thought)]),
    ...(text === '' ? [] : [textBlock(text)]),
    ...(call === undefined ? [] : [callBlock(call)]),
  ];
  const reason = call !== undefined && end === 'done' ? 'tool_use' : STOP[end];
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }),
    ...blocks.flatMap(({ block, deltas }, index) => [
      event('content_block_start', { index, content_block: block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: TOKENS.output },
    }),
    event('message_stop'),
  ];
}

function thoughtBlock(thought: string): BlockScript {
  const deltas = partsOf(thought).map((thinking) => ({ type: 'thinking_delta', thinking }));
  const signature = { type: 'signature_delta', signature: 'c2lnbmVk' };
  return { block: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, signature] };
}

function textBlock(text: string): BlockScript {
  return {
    block: { type: 'text', text: '' },
    deltas: partsOf(text).map((part) => ({ type: 'text_delta', text: part })),
  };
}

function callBlock({ name, args }: NonNullable<ProviderScript['call']>): BlockScript {
  const parts = partsOf(JSON.stringify(args));
  const deltas = parts.map((part) => ({ type: 'input_json_delta', partial_json: part }));
  return { block: { type: 'tool_use', id: 'toolu_1', name, input: {} }, deltas };
}
