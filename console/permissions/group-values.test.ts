import { expect, test } from '@jest/globals';
import { Problem } from '../core/http/problem.ts';
import { writtenOf } from '../ui/form/use-record.ts';
import { atItsField, bodyOf, GROUP_JSON, valuesOf } from './group-values.ts';

test('only what was changed is sent, limits and lists where the server has them; an empty limit is none', () => {
  expect(bodyOf({ name: 'Interns', token_budget: null, agent_ids: ['a'], default_chain_id: null })).toEqual({
    name: 'Interns',
    limits: { token_budget: 0 },
    capabilities: { agent_ids: ['a'], default_chain_id: null },
  });
  expect(bodyOf({})).toEqual({});
});

test.each([
  [404, 'Agent not found', { agent_ids: ['a'], skill_keys: [] }, 'agent_ids'],
  [404, 'Provider chain not found', { default_chain_id: 'c' }, 'default_chain_id'],
  [400, 'Unknown permission x', { permissions: [] }, 'permissions'],
  [409, 'A permission group with this name already exists', { name: 'Interns' }, 'name'],
])('a %d with "%s" is said at its field', (status, message, changes, field) => {
  expect(atItsField(new Problem(status, message), changes).fields).toEqual({ [field]: message });
});

test('what is about no field stays as it is', () => {
  const problem = new Problem(403, 'Forbidden');
  expect(atItsField(problem, { name: 'x' })).toBe(problem);
});

test('a group is changed as JSON with its limits and lists where the server has them', () => {
  const limits = { token_budget: 5, token_window_hours: 24, max_concurrent_agents: 0, max_provider_accounts: 0 };
  const group = {
    name: 'Interns',
    description: '',
    permissions: ['agents.view'],
    limits,
    capabilities: { agent_ids: ['a'], default_chain_id: null },
  };
  const values = valuesOf(group as never);
  expect(GROUP_JSON.write(values)).toEqual(group);
  const changed = { ...group, limits: { ...limits, token_budget: 7 } };
  expect(writtenOf(GROUP_JSON, values, changed)).toEqual(changed);
  expect(GROUP_JSON.read(changed as never)).toMatchObject({ token_budget: 7, agent_ids: ['a'] });
});
