import { describe, expect, test } from '@jest/globals';
import { policyOf } from '../../domain/permissions/policy.ts';
import { jsonSchemaTool } from './runnable-tool.ts';
import { composeToolsets, type SourcedTool, type ToolSource } from './toolset.ts';

const user = { orgId: 'org', policy: policyOf('owner', []), agent: { id: 'agent', tools: [], skills: [] } };

function tool(key: string, more: Partial<SourcedTool> = {}): SourcedTool {
  const run = async () => ({ value: key });
  const definition = { key, description: key, parameters: { type: 'object' }, label: key, inline: false };
  return { ...jsonSchemaTool({ ...definition, effect: 'read', timeoutSeconds: 1, run }), ...more };
}

async function toolsetOf(...sources: readonly ToolSource[]) {
  return composeToolsets(sources)(user);
}

describe('a toolset', () => {
  test('contains the tools of all its sources, those of the first where keys are the same', async () => {
    const first = tool('a', { description: 'first' });
    const toolset = await toolsetOf(
      () => [first],
      async () => [tool('a', { description: 'second' }), tool('b')],
    );
    expect(toolset.find('a')).toBe(first);
    expect(toolset.offered().map(({ name, description }) => [name, description])).toEqual([
      ['a', 'first'],
      ['b', 'b'],
    ]);
    expect([toolset.find('c'), toolset.find('constructor')]).toEqual([undefined, undefined]);
  });

  test('finds a hidden tool without offering it', async () => {
    const toolset = await toolsetOf(() => [tool('a', { isHidden: true, instructions: async () => 'A' })]);
    expect(toolset.find('a')).toBeDefined();
    expect([toolset.offered(), await toolset.instructions()]).toEqual([[], []]);
  });

  test('does not offer a tool on records that its user may not view', async () => {
    const policy = { ...policyOf('member', []), keys: new Set(['agents.view'] as const) };
    const compose = composeToolsets([() => [tool('a', { permission: 'memory' }), tool('b', { permission: 'agents' })]]);
    expect((await compose({ ...user, policy })).offered().map(({ name }) => name)).toEqual(['b']);
    expect((await compose({ ...user, policy: null })).offered()).toEqual([]);
    expect((await compose(user)).offered()).toHaveLength(2);
  });

  test('collects what its tools have to say, and whose fences count', async () => {
    const toolset = await toolsetOf(() => [
      tool('a', { instructions: async () => '# A', takesFences: true }),
      tool('b', { instructions: async () => '' }),
      tool('c', { instructions: async () => '# C' }),
    ]);
    expect(await toolset.instructions()).toEqual(['# A', '# C']);
    expect([...toolset.fencedKeys()]).toEqual(['a']);
  });

  test('of more than 40 tools offers some, and one that has the others described', async () => {
    const keys = Array.from({ length: 45 }, (_, at) => `t${at}`);
    const toolset = await composeToolsets([() => keys.map((key) => tool(key))])({
      ...user,
      agent: { ...user.agent, tools: keys },
    });
    const names = toolset.offered().map(({ name }) => name);
    expect(names).toEqual([...keys.slice(0, 20), 'tool_describe']);
    expect((await toolset.instructions()).at(-1)).toContain('- t44: t44');
    expect([toolset.parametersOfNamed('t0'), toolset.parametersOfNamed('t44')]).toEqual([
      undefined,
      { type: 'object' },
    ]);
    const plans = await toolset.find('tool_describe')?.plan([{ names: ['t44'] }, { names: ['t44', 'x'] }, {}]);
    expect(plans).toMatchObject([
      { effect: 'read' },
      { error: { kind: 'not_found', message: 'You have no tool "x"; none was described' } },
      { error: { kind: 'invalid_input' } },
    ]);
  });

  test('offers all where a tool of the organization has the key of the one that describes', async () => {
    const keys = [...Array.from({ length: 45 }, (_, at) => `t${at}`), 'tool_describe'];
    const toolset = await toolsetOf(() => keys.map((key) => tool(key)));
    expect(toolset.offered()).toHaveLength(46);
    expect(toolset.find('tool_describe')?.description).toBe('tool_describe');
  });
});
