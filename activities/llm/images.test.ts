import { expect, test } from '@jest/globals';
import { anthropic } from './anthropic.ts';
import { createBedrock } from './bedrock.ts';
import { gemini } from './gemini.ts';
import type { ModelRequest } from './model-adapter.ts';
import { openaiCompat } from './openai-compat/openai-compat.ts';
import type { WireFormat } from './wire-format.ts';

const request: ModelRequest = {
  account: { id: null, name: 'A', providerType: 'x', baseUrl: 'https://models.example.com', apiKey: undefined },
  model: 'some-model',
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'What is this?', images: [{ mediaType: 'image/png', data: 'AAAA' }] },
    { role: 'assistant', content: 'A picture.' },
    { role: 'user', content: 'Thanks' },
  ],
  tools: [],
  temperature: 1,
  maxTokens: 100,
};
const quirks = {
  rejectsTemperature: false,
  wantsCompletionLimit: false,
  rejectsState: false,
  rejectsCache: false,
  rejectsStreamOptions: false,
};

function bodyOf(format: WireFormat) {
  return format.toHttp(request, quirks).body as Record<string, { content?: unknown; parts?: unknown }[]>;
}

test('a picture goes before its text in the Messages API', () => {
  expect(bodyOf(anthropic)['messages']?.[0]?.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'text', text: 'What is this?' },
  ]);
});

test('a picture goes before its text in the contents of Gemini', () => {
  expect(bodyOf(gemini)['contents']?.[0]?.parts).toEqual([
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    { text: 'What is this?' },
  ]);
});

test('a picture goes before its text in conversations of Bedrock', () => {
  expect(bodyOf(createBedrock())['messages']?.[0]?.content).toEqual([
    { image: { format: 'png', source: { bytes: 'AAAA' } } },
    { text: 'What is this?' },
  ]);
});

test('a picture goes before its text in chat completions, where other messages stay plain texts', () => {
  const messages = bodyOf(openaiCompat)['messages'] ?? [];
  expect(messages[1]?.content).toEqual([
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'text', text: 'What is this?' },
  ]);
  expect(messages[3]?.content).toBe('Thanks');
});
