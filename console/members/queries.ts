import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnswer } from '../core/http/use-answer.ts';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Member = components['schemas']['Member'];
export type Role = components['schemas']['Role'];
export type Device = components['schemas']['Device'];
export type Invite = components['schemas']['Invite'];
export type InviteWithToken = components['schemas']['InviteWithToken'];
type PasswordLink = components['schemas']['PasswordLink'];

/** How many records a page may hold. */
const PAGE = 1_000;

/** How many members are read at most. */
const MOST = 10_000;

/** Returns the members of the organization, those who joined first come first. */
export function useMembers(): UseQueryResult<Member[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'members'],
    queryFn: async ({ signal }) => {
      const members: Member[] = [];
      for (let total = 1; members.length < Math.min(total, MOST);) {
        const query = { limit: PAGE, offset: members.length };
        const path = { org_id: orgId };
        const page = await pageOf(api.GET('/api/orgs/{org_id}/members', { params: { path, query }, signal }));
        if (page.items.length === 0) break;
        members.push(...page.items);
        total = page.total;
      }
      return members;
    },
  });
}

/** Returns the invites that can still be used; only administrators may see them. */
export function useInvites(isAllowed: boolean): UseQueryResult<Invite[]> {
  const orgId = useOrgId();
  return useAnswer(['members', 'invites'], '/api/orgs/{org_id}/invites', {
    params: { path: { org_id: orgId } },
    enabled: isAllowed,
  });
}

/** Returns the devices of a member; only administrators may see them. */
export function useMemberDevices(userId: string, isAllowed: boolean): UseQueryResult<Device[]> {
  const orgId = useOrgId();
  const path = { org_id: orgId, user_id: userId };
  return useAnswer(['members', userId, 'devices'], '/api/orgs/{org_id}/members/{user_id}/devices', {
    params: { path },
    enabled: isAllowed,
  });
}

/** What administrators do with invites. What holds a secret is answered to the caller and kept in no cache. */
interface InviteActions {
  readonly make: (body: components['schemas']['InviteCreate']) => Promise<InviteWithToken>;
  readonly revoke: (inviteId: string) => Promise<void>;
}

/** Returns what makes and revokes invites. */
export function useInviteActions(): InviteActions {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const read = async () => cache.invalidateQueries({ queryKey: [orgId, 'members', 'invites'] });
  return {
    make: async (body) => {
      const made = await answerOf(
        api.POST('/api/orgs/{org_id}/invites', { params: { path: { org_id: orgId } }, body }),
      );
      await read();
      return made;
    },
    revoke: async (inviteId) => {
      const path = { org_id: orgId, invite_id: inviteId };
      await answerOf(api.DELETE('/api/orgs/{org_id}/invites/{invite_id}', { params: { path } }));
      await read();
    },
  };
}

/** What may be done with a member. */
interface MemberActions {
  readonly setRole: (role: Role) => Promise<void>;
  readonly remove: () => Promise<void>;
  readonly endDevice: (deviceId: string) => Promise<void>;
  /** Makes a link for a new password. The answer is kept in no cache. */
  readonly makePasswordLink: () => Promise<PasswordLink>;
}

/** Returns what changes a member. Their rights, and one's own, may be others afterwards, so those are read again. */
export function useMemberActions(userId: string): MemberActions {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const path = { org_id: orgId, user_id: userId };
  const read = async (...key: string[]) => cache.invalidateQueries({ queryKey: [orgId, ...key] });
  return {
    setRole: async (role) => {
      await answerOf(api.PATCH('/api/orgs/{org_id}/members/{user_id}', { params: { path }, body: { role } }));
      await Promise.all([read('members'), read('permissions')]);
    },
    remove: async () => {
      await answerOf(api.DELETE('/api/orgs/{org_id}/members/{user_id}', { params: { path } }));
      await Promise.all([read('members'), read('permissions', 'groups')]);
    },
    endDevice: async (deviceId) => {
      const device = { ...path, device_id: deviceId };
      const route = '/api/orgs/{org_id}/members/{user_id}/devices/{device_id}';
      await answerOf(api.DELETE(route, { params: { path: device } }));
      await read('members', userId, 'devices');
    },
    makePasswordLink: async () =>
      answerOf(api.POST('/api/orgs/{org_id}/members/{user_id}/password-link', { params: { path } })),
  };
}

/** Returns what a member is called: the name, or the address of who has given none. */
export function nameOf({ full_name: name, email }: Pick<Member, 'full_name' | 'email'>): string {
  return name === '' ? email : name;
}
