import { describe, expect, test } from '@jest/globals';
import { parseArguments, toJsonSchema } from '../arguments/parse-arguments.ts';
import { agentSpawn } from './delegation.ts';

const read = (args: object) => parseArguments('agent_spawn', agentSpawn.parameters, args);

describe('agentSpawn', () => {
  test('describes its arguments as a JSON Schema', () => {
    const parameters = toJsonSchema(agentSpawn.parameters);
    expect(parameters).toMatchObject({
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
    expect(parameters).not.toHaveProperty('$schema');
  });

  test('gives the request', () => {
    expect(read({ agent: ' Ada ', task: 'Count.' })).toEqual({ value: { agent: 'Ada', task: 'Count.' } });
  });

  test.each([
    ['no agent', { task: 'x' }, 'must have the property agent'],
    ['no task', { agent: 'x', task: '  ' }, 'task must'],
    ['a task that is too long', { agent: 'x', task: 'x'.repeat(50_001) }, 'task must'],
    ['an unknown field', { agent: 'x', task: 'x', model: 'y' }, 'model'],
    ['a title that is no text', { agent: 'x', task: 'x', title: 5 }, 'title must be string'],
  ])('says what is wrong with %s', (_, args, words) => {
    expect(read(args)).toEqual({ error: { kind: 'invalid_input', message: expect.stringContaining(words) } });
  });
});
