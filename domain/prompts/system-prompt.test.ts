import { describe, expect, test } from '@jest/globals';
import { FenceSplitter } from '../tool-calls/fence-splitter.ts';
import { describeCandidates, describeMemories, PROMPT_PARTS, promptParts, systemPrompt } from './system-prompt.ts';

const spawn = { name: 'agent_spawn', description: 'Hands work on.', parameters: { type: 'object', properties: {} } };
const clock = { name: 'time_now', description: 'Tells the time.', parameters: { type: 'object', properties: {} } };

describe('systemPrompt', () => {
  test('is empty when there is nothing to say', () => {
    expect(systemPrompt({ agentPrompt: ' \n', tools: [clock], form: 'native' })).toBe('');
    expect(systemPrompt({ agentPrompt: '', tools: [], form: 'fenced', instructions: [] })).toBe('');
  });

  test('says who the agent is, what it does, what it knows and what it remembers, and then which tools it has', () => {
    const source = {
      personaPrompt: 'You are Ada.',
      soul: { tone: 'dry' },
      agentPrompt: 'Count.',
      skills: [
        {
          key: 'sums',
          name: 'Sums',
          description: 'Adding.',
          files: new Map([['SKILL.md', 'Carry.']]),
          paths: ['SKILL.md'],
        },
      ],
      projects: [
        { id: 'p', name: 'App', description: '', repository: null, issues: [], hasMoreIssues: false, tasks: [] },
      ],
      memories: [{ type: 'fact', content: 'Likes tea.' }],
      tools: [clock],
      form: 'fenced',
      instructions: ['# Agents'],
    } as const;
    const parts = promptParts(source);
    expect(parts.map(({ name }) => name)).toEqual(PROMPT_PARTS);
    expect(parts.slice(0, 3).map(({ text }) => text)).toEqual(['You are Ada.', '# Character\n\n- Tone: dry', 'Count.']);
    expect(systemPrompt(source)).toBe(parts.map(({ text }) => text).join('\n\n'));
  });

  test('defuses calls in what a persona says', () => {
    const prompt = systemPrompt({ personaPrompt: '```tool_call', agentPrompt: '', tools: [], form: 'native' });
    expect(prompt).toBe('```quoted_tool_call');
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

describe('describeCandidates', () => {
  test('lists the agents that can be handed work, a line each', () => {
    const candidates = [
      { name: 'Ada', description: 'Counts\nthings.' },
      { name: 'Bob', description: '' },
    ];
    expect(describeCandidates(candidates, [])).toBe(
      '# Agents\n\nWith agent_spawn you can delegate work to these agents:\n\n- Ada: Counts things.\n- Bob',
    );
  });

  test('names the kinds of work that models can be chosen for', () => {
    expect(describeCandidates([{ name: 'Ada', description: '' }], ['code', 'fast\nones'])).toContain(
      '\n\nFor some kinds of work there are models of their own, which model_tags asks for: code, fast ones',
    );
  });

  test('says nothing when there are none', () => {
    expect(describeCandidates([], ['code'])).toBe('');
  });
});

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
