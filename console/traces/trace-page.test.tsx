import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const [BEGAN, ENDED] = ['2026-11-22T09:30:00.000Z', '2026-11-22T09:30:02.000Z'];
const TOKENS = {
  input_tokens: 12,
  output_tokens: 3,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
  estimated: false,
  cost: null,
};
const TRACE = {
  turn: {
    id: 'a-turn',
    chat_id: 'a-chat',
    status: 'completed',
    question: 'How late is it?',
    attempts: 1,
    created_at: BEGAN,
    started_at: BEGAN,
    ended_at: ENDED,
    parent_turn_id: null,
  },
  steps: [
    {
      id: 'a-call',
      parent_id: null,
      kind: 'model_call',
      started_at: BEGAN,
      ended_at: ENDED,
      step: 0,
      account: 'Ours',
      account_id: null,
      provider_type: 'openai',
      model: 'small-1',
      first_token_at: null,
      outcome: 'replied',
      failure: null,
      reason: null,
      finish_reason: 'done',
      output_excerpt: 'It is nine.',
      usage: TOKENS,
    },
  ],
  is_cut: false,
  working_ms: 2_000,
  usage_in_all: TOKENS,
  temporal_url: null,
};

test('a call of a model says what it is, and what the model wrote', async () => {
  openConsole(script, `/o/${ORG}/chats/a-chat/turns/a-turn?step=a-call`, {
    'GET /api/chats/a-chat/turns/a-turn': { body: TRACE },
  });
  const details = within(await screen.findByRole('region', { name: 'Details' }));
  details.getByRole('heading', { name: 'Model call · small-1' });
  details.getByRole('heading', { name: 'Output' });
  expect(details.getByText('It is nine.')).toBeTruthy();
});
