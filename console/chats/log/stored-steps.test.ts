import { expect, test } from '@jest/globals';
import type { components } from '../../openapi.ts';
import type { Message } from '../connection/merge-messages.ts';
import { storedSteps } from './stored-steps.ts';

function call(id: string): components['schemas']['ToolCall'] {
  return { id, name: 'agent_spawn', arguments: {}, status: 'success', result: '', started_at: null, ended_at: null };
}

function subAgent(fields: { readonly call_id?: string }): components['schemas']['SubAgent'] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const names = { task_id: 't', agent_id: null, agent_name: 'Ada', task_title: 'Count', sub_chat_id: 'c' };
  return { ...names, ...fields, status: 'completed', output: 'three', usage };
}

function kindsOf(agent: components['schemas']['SubAgent']) {
  const metadata = { tool_calls_detail: [call('elsewhere'), call('here')], sub_agents: [agent] };
  return storedSteps({ metadata_: metadata } as unknown as Message).steps.map(({ kind }) => kind);
}

test('a sub-agent stands at the call that has delegated to it, beside one for an agent of another platform', () => {
  expect(kindsOf(subAgent({ call_id: 'here' }))).toEqual(['call', 'agent']);
});

test('a sub-agent of an older message stands at the first call', () => {
  expect(kindsOf(subAgent({}))).toEqual(['agent', 'call']);
});
