import { describe, expect, test } from '@jest/globals';
import { FenceSplitter } from '../tool-calls/index.ts';
import { agentSpawn } from './agent-spawn.ts';
import { systemPrompt } from './system-prompt.ts';

const clock = { name: 'time_now', description: 'Tells the time.', parameters: { type: 'object', properties: {} } };

describe('systemPrompt', () => {
  test('is empty when there is nothing to say', () => {
    expect(systemPrompt({ agentPrompt: ' \n', tools: [clock], form: 'native' })).toBe('');
    expect(
      systemPrompt({ agentPrompt: '', tools: [], form: 'fenced', agents: [{ name: 'Ada', description: '' }] }),
    ).toBe('');
  });

  test('says who the agent is before what it does', () => {
    expect(systemPrompt({ agentPrompt: 'Count.', soul: 'You are Ada.', tools: [], form: 'native' })).toBe(
      'You are Ada.\n\nCount.',
    );
  });

  test('describes the fenced form and each tool with its schema in fenced form', () => {
    const prompt = systemPrompt({ agentPrompt: 'Count.', tools: [clock, agentSpawn], form: 'fenced' });
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

  test('lists the agents for an agent that can hand them work', () => {
    const agents = [
      { name: 'Ada', description: 'Counts\nthings.' },
      { name: 'Bob', description: '' },
    ];
    const prompt = systemPrompt({ agentPrompt: '', tools: [agentSpawn], form: 'native', agents });
    expect(prompt).toBe(
      '# Agents\n\nWith agent_spawn you can hand work to these agents:\n\n- Ada: Counts things.\n- Bob',
    );
    expect(systemPrompt({ agentPrompt: '', tools: [clock], form: 'native', agents })).toBe('');
  });
});
