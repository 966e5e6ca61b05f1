import { expect, test } from '@jest/globals';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import { presentResponse } from '../responses/present-response.ts';
import { presentCompletion } from './present-completion.ts';

const turnWith = (usage: unknown) =>
  ({
    id: '0190a1b2-0000-7000-8000-000000000001',
    chatId: '0190a1b2-0000-7000-8000-000000000002',
    status: 'completed',
    answer: { content: 'hi', metadata: { usage } },
  }) as unknown as EndedTurn;

const HEAD = { id: 'chatcmpl-1', created: 1, model: 'Helper' };
const RESPONSE_HEAD = {
  id: 'resp_1',
  createdAt: 1,
  model: 'Helper',
  instructions: null,
  metadata: {},
  previousId: null,
  chatId: '0190a1b2-0000-7000-8000-000000000002',
  turnId: '0190a1b2-0000-7000-8000-000000000001',
};

test('the usage of an answer says what came from a cache and what was reasoning', () => {
  const turn = turnWith({ input_tokens: 10, output_tokens: 5, cached_input_tokens: 4, reasoning_tokens: 3 });
  expect(presentCompletion(HEAD, turn).usage).toEqual({
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  });
  expect(presentResponse(RESPONSE_HEAD, turn).usage).toEqual({
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 15,
  });
});

test('the usage of an answer leaves out what no provider has reported', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  expect(presentCompletion(HEAD, turnWith({ input_tokens: 10, output_tokens: 5 })).usage).toEqual(usage);
});
