import { describe, expect, test } from '@jest/globals';
import { agentSpawn, readSpawn } from './agent-spawn.ts';

describe('agentSpawn', () => {
  test('describes its arguments as a JSON Schema', () => {
    expect(agentSpawn.parameters).toMatchObject({
      type: 'object',
      required: ['agent', 'task'],
      additionalProperties: false,
      properties: {
        agent: { type: 'string', minLength: 1, maxLength: 200 },
        task: { type: 'string', maxLength: 50_000, description: expect.any(String) },
        title: { type: 'string' },
        context: { type: 'string', maxLength: 50_000 },
      },
    });
    expect(agentSpawn.parameters).not.toHaveProperty('$schema');
  });
});

describe('readSpawn', () => {
  test('gives the request', () => {
    expect(readSpawn({ agent: ' Ada ', task: 'Count.' })).toEqual({ value: { agent: 'Ada', task: 'Count.' } });
  });

  test.each([
    ['no agent', { task: 'x' }, 'agent: '],
    ['no task', { agent: 'x', task: '  ' }, 'task: '],
    ['a task that is too long', { agent: 'x', task: 'x'.repeat(50_001) }, 'task: '],
    ['an unknown field', { agent: 'x', task: 'x', model: 'y' }, 'model'],
    ['a title that is no text', { agent: 'x', task: 'x', title: 5 }, 'title: '],
  ])('says what is wrong with %s', (_, args, words) => {
    expect(readSpawn(args)).toEqual({ issue: expect.stringContaining(words) });
  });
});
