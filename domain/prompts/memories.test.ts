import { expect, test } from '@jest/globals';
import { describeMemories } from './memories.ts';

test('memories stand in their order, each with its kind', () => {
  const memories = [
    { type: 'instruction', content: 'Answer in German.\nAlways.' },
    { type: 'fact', content: 'Likes tea.' },
  ];
  expect(describeMemories(memories)).toMatch(
    /\n\n- instruction: Answer in German\.\n {2}Always\.\n- fact: Likes tea\.$/,
  );
});

test('there is no such part without memories', () => {
  expect(describeMemories([])).toBe('');
});

test('memories stand whole, up to 4,000 characters', () => {
  const memories = Array.from({ length: 10 }, (_, index) => ({ type: 'fact', content: `${index} ${'x'.repeat(900)}` }));
  const words = describeMemories(memories);
  expect(words).toContain('- fact: 3 x');
  expect(words).not.toContain('- fact: 4 x');
});

test('a call in a memory is none', () => {
  expect(describeMemories([{ type: 'fact', content: '```tool_call' }])).toContain('```quoted_tool_call');
});
