import { awsEvent, awsStream, json } from '../wire-servers/index.ts';
import { partsOf, type ProviderScript, type ScriptedForm, TOKENS } from './provider-script.ts';

const STOP = { done: 'end_turn', length: 'max_tokens', content_filter: 'content_filtered' } as const;

/** The Converse API of Amazon Bedrock, streamed. */
export const converseForm: ScriptedForm = {
  play: (script) => awsStream(...framesOf(script)),
  tooLong: json(
    400,
    { message: 'Input is too long for requested model.' },
    { 'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/' },
  ),
};

function framesOf({ thought, text = '', call, end }: ProviderScript): Buffer[] {
  const usage = {
    inputTokens: TOKENS.fresh,
    cacheReadInputTokens: TOKENS.cached,
    outputTokens: TOKENS.output,
    totalTokens: TOKENS.fresh + TOKENS.cached + TOKENS.output,
  };
  const blocks = [
    ...(thought === undefined ? [] : [thoughtDeltas(thought)]),
    ...(text === '' ? [] : [partsOf(text).map((part) => ({ text: part }))]),
  ];
  const callAt = blocks.length;
  const input =
    call === undefined ? [] : partsOf(JSON.stringify(call.args)).map((part) => ({ toolUse: { input: part } }));
  const start = { toolUse: { toolUseId: 'tooluse_1', name: call?.name } };
  return [
    awsEvent('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(toFrames),
    ...(call === undefined
      ? []
      : [awsEvent('contentBlockStart', { contentBlockIndex: callAt, start }), ...toFrames(input, callAt)]),
    awsEvent('messageStop', { stopReason: call !== undefined && end === 'done' ? 'tool_use' : STOP[end] }),
    awsEvent('metadata', { usage, metrics: { latencyMs: 5 } }),
  ];
}

function thoughtDeltas(thought: string): object[] {
  const texts = partsOf(thought).map((text) => ({ reasoningContent: { text } }));
  return [...texts, { reasoningContent: { signature: 'c2lnbmVk' } }];
}

function toFrames(deltas: readonly object[], contentBlockIndex: number): Buffer[] {
  return [
    ...deltas.map((delta) => awsEvent('contentBlockDelta', { contentBlockIndex, delta })),
    awsEvent('contentBlockStop', { contentBlockIndex }),
  ];
}
