import { expect, test } from '@jest/globals';
import { renderHook } from '@testing-library/react';
import { firstMessages } from './first-messages.tsx';
import { useChatsText } from './text.ts';

const text = renderHook(() => useChatsText()).result.current;
const agent = (tools: string[], skills: string[] = []) => ({ id: '1', name: 'Helper', tools, skills });

test('first messages ask for what the agent can do', () => {
  const helper = agent(['time_now', 'file_write', 'memory_manage']);
  expect(firstMessages(helper, [helper], text)).toEqual([
    'What time is it?',
    'Write the file notes.md: buy milk',
    'Remember that I like short answers',
  ]);
});

test('an agent that delegates is asked to, when there is another one', () => {
  const helper = agent([], ['agent_spawn']);
  expect(firstMessages(helper, [helper], text)).toEqual([]);
  expect(firstMessages(helper, [helper, { id: '2', name: 'Analyst' }], text)).toEqual([
    'Delegate to Analyst: introduce yourself',
  ]);
});
