import { describe, expect, test } from '@jest/globals';
import { findWithheld, toolsGivenBy } from './agents.ts';
import { EMPTY_ALLOWLISTS, policyOf } from './permissions/policy.ts';

const LIMITS = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };

function policyWith(toolKeys: readonly string[], skillKeys: readonly string[]) {
  const allowlists = { ...EMPTY_ALLOWLISTS, toolKeys, skillKeys };
  return policyOf('member', [{ id: 'g', permissions: [], limits: LIMITS, allowlists, defaultChainId: null }]);
}

test('the skill agent_spawn gives the tool of the same name', () => {
  expect(toolsGivenBy({ tools: ['a'], skills: ['b'] })).toEqual(['a']);
  expect(toolsGivenBy({ tools: ['a'], skills: ['agent_spawn'] })).toEqual(['a', 'agent_spawn']);
  expect(toolsGivenBy({ tools: ['agent_spawn'], skills: ['agent_spawn'] })).toEqual(['agent_spawn']);
});

describe('what a member may not give to an agent', () => {
  test.each([
    [[], [], { tools: ['a'], skills: ['b', 'agent_spawn'] }, undefined],
    [['a'], [], { tools: ['a'], skills: ['b'] }, undefined],
    [['a'], [], { tools: ['a', 'b'], skills: [] }, { resource: 'tools', key: 'b' }],
    [[], ['a'], { tools: ['c'], skills: ['a', 'b'] }, { resource: 'skills', key: 'b' }],
    [['a'], [], { tools: [], skills: ['agent_spawn'] }, { resource: 'tools', key: 'agent_spawn' }],
    [['agent_spawn'], ['a'], { tools: [], skills: ['agent_spawn'] }, { resource: 'skills', key: 'agent_spawn' }],
    [['agent_spawn'], ['agent_spawn'], { tools: [], skills: ['agent_spawn'] }, undefined],
  ])('with the lists %j and %j, of %j, is %j', (tools, skills, given, withheld) => {
    expect(findWithheld(policyWith(tools, skills), given)).toEqual(withheld);
  });
});
