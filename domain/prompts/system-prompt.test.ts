import { describe, expect, test } from '@jest/globals';
import { FenceSplitter } from '../tool-calls/index.ts';
import { systemPrompt } from './system-prompt.ts';

const spawn = { name: 'agent_spawn', description: 'Hands work on.', parameters: { type: 'object', properties: {} } };
const clock = { name: 'time_now', description: 'Tells the time.', parameters: { type: 'object', properties: {} } };

describe('systemPrompt', () => {
  test('is empty when there is nothing to say', () => {
    expect(systemPrompt({ agentPrompt: ' \n', tools: [clock], form: 'native' })).toBe('');
    expect(systemPrompt({ agentPrompt: '', tools: [], form: 'fenced', instructions: [] })).toBe('');
  });

  test('says who the agent is before what it does', () => {
    expect(systemPrompt({ agentPrompt: 'Count.', soul: 'You are Ada.', tools: [], form: 'native' })).toBe(
      'You are Ada.\n\nCount.',
    );
  });

  test('describes the fenced form and each tool with its schema in fenced form', () => {
    const prompt = systemPrompt({ agentPrompt: 'Count.', tools: [clock, spawn], form: 'fenced' });
    expect(prompt).toMatch(/^Count\.\n\n# Tools\n/);
    expect(prompt).toContain('## time_now\n\nTells the time.\n\nArguments: {"type":"object","properties":{}}');
    expect(prompt.indexOf('## time_now')).toBeLessThan(prompt.indexOf('## agent_spawn'));
  });

  test('shows a call that is read as one', () => {
    const splitter = new FenceSplitter();
    splitter.push(systemPrompt({ agentPrompt: '', tools: [clock], form: 'fenced' }));
    const { calls } = splitter.end();
    expect(calls).toEqual([{ name: 'NAME_OF_THE_TOOL', arguments: { NAME_OF_AN_ARGUMENT: 'VALUE' } }]);
  });

  test('ends with what else is to be said of the tools', () => {
    const instructions = ['# Agents\n\n- Ada', '# Servers\n\n- One'];
    expect(systemPrompt({ agentPrompt: 'Count.', tools: [spawn], form: 'native', instructions })).toBe(
      'Count.\n\n# Agents\n\n- Ada\n\n# Servers\n\n- One',
    );
  });
});
