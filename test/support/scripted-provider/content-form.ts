import { json, stream } from '../wire-servers/index.ts';
import { partsOf, type ProviderScript, type ScriptedForm, TOKENS } from './provider-script.ts';

const FINISH = { done: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' } as const;

/** The Gemini API, streamed. */
export const contentForm: ScriptedForm = {
  play: (script) => stream(...chunksOf(script).map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)),
  tooLong: json(400, {
    error: {
      code: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      status: 'INVALID_ARGUMENT',
    },
  }),
};

function chunksOf({ thought = '', text = '', call, end }: ProviderScript) {
  const chunk = (parts: readonly object[], fields: object = {}) => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...fields }],
    modelVersion: 'scripted',
  });
  const signed = { functionCall: { name: call?.name, args: call?.args, id: 'f1' }, thoughtSignature: 'c2lnbmVk' };
  const usageMetadata = {
    promptTokenCount: TOKENS.fresh + TOKENS.cached,
    cachedContentTokenCount: TOKENS.cached,
    candidatesTokenCount: TOKENS.output,
    totalTokenCount: TOKENS.fresh + TOKENS.cached + TOKENS.output,
  };
  return [
    ...partsOf(thought).map((part) => chunk([{ text: part, thought: true }])),
    ...partsOf(text).map((part) => chunk([{ text: part }])),
    ...(call === undefined ? [] : [chunk([signed])]),
    { ...chunk([{ text: '' }], { finishReason: FINISH[end] }), usageMetadata },
  ];
}
