import { describe, expect, test } from '@jest/globals';
import { actionOf } from './action-name.ts';

type Method = Parameters<typeof actionOf>[0]['method'];

describe('the audit name of a route', () => {
  test.each<[Method, string, number, string]>([
    ['post', '/api/agents', 201, 'agents.create'],
    ['patch', '/api/agents/{agent_id}', 200, 'agents.update'],
    ['delete', '/api/agents/{agent_id}', 204, 'agents.delete'],
    ['patch', '/api/agents/{agent_id}/restore', 200, 'agents.restore'],
    ['post', '/api/agents/{agent_id}/memories', 201, 'memories.create'],
    ['delete', '/api/agents/{agent_id}/memories/{memory_id}', 204, 'memories.delete'],
    ['post', '/api/providers/chains', 201, 'provider_chains.create'],
    ['patch', '/api/providers/chains/{chain_id}', 200, 'provider_chains.update'],
    ['delete', '/api/providers/{provider_id}/purge', 204, 'providers.purge'],
    ['post', '/api/users/me/api-keys', 201, 'api_keys.create'],
    ['post', '/api/users/me/api-keys/{key_id}/rotate', 200, 'api_keys.rotate'],
    ['patch', '/api/users/me', 200, 'users.update'],
    ['post', '/api/auth/login', 200, 'auth.login'],
    ['post', '/api/auth/register', 201, 'auth.register'],
    ['post', '/api/auth/cli/redeem', 200, 'auth.cli_redeem'],
    ['post', '/api/orgs', 201, 'orgs.create'],
    ['post', '/api/orgs/accept-invite', 200, 'orgs.accept_invite'],
    ['post', '/api/orgs/{org_id}/leave', 204, 'orgs.leave'],
    ['post', '/api/orgs/{org_id}/invites', 201, 'invites.create'],
    ['patch', '/api/orgs/{org_id}/members/{user_id}', 200, 'members.update'],
    ['put', '/api/permissions/groups/{group_id}/members', 200, 'permission_groups.set_members'],
    ['post', '/api/projects/{project_id}/sync-issues', 202, 'projects.sync_issues'],
    ['get', '/api/agents', 200, 'agents.view'],
    ['get', '/api/agents/{agent_id}/memories', 200, 'memories.view'],
    ['get', '/api/providers/catalog', 200, 'providers.view_catalog'],
    ['get', '/api/permissions/me', 200, 'permissions.view'],
    ['get', '/api/audit', 200, 'audit.view'],
  ])('of %s %s (%d) is %s', (method, path, status, action) => {
    expect(actionOf({ method, path, response: { status } }).action).toBe(action);
  });
});
