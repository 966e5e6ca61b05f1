import { accessName, type Route } from '../../api/http/define-route.ts';
import { isPermissionKey, PERMISSION_CATALOG, type PermissionKey, type Role } from '../../domain/permissions/keys.ts';
import { ApiClient } from '../support/api-client.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import type { TestApi } from '../support/test-api.ts';
import { claimsOf, forgeToken } from '../support/forge-token.ts';
import { registerColleague, registerManaged } from '../support/people.ts';
import { isWrittenLetIn, isWrittenRight } from './written-rights.ts';

/** Who sends a request, seen from one organization: the host's. */
export interface Caller {
  readonly user: TestUser;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A kind of caller: how one comes to be, and what the declaration of a route says about them. */
export interface CallerKind {
  readonly title: string;
  /** Their role in the host's organization; absent for those who are in none of its. */
  readonly role?: Role;
  /** Which of the area's keys their only permission group grants; absent for those who are in no group. */
  readonly grants?: 'nothing' | 'view' | 'manage';
  readonly isManaged?: true;
  /** Whether what they send tells nobody who they are. */
  readonly isUnknown?: true;
  /** Makes one, for the area of keys that a route belongs to. */
  make(scene: { api: TestApi; host: TestUser; area: string }): Promise<Caller>;
}

/** What a route answers before it reads the request: a status, or `let in`. */
export type Reception = 401 | 403 | 404 | 'let in';

/** Every kind of caller that the rules tell apart. */
export const CALLERS: readonly CallerKind[] = [
  { title: 'nobody', isUnknown: true, make: async ({ host }) => asUnknown(host, undefined) },
  {
    title: 'an expired token',
    isUnknown: true,
    make: async ({ host }) => {
      const past = Math.floor(Date.now() / 1000) - 1;
      return asUnknown(host, forgeToken({ claims: { ...claimsOf(host.accessToken), exp: past } }));
    },
  },
  {
    title: 'a revoked key',
    isUnknown: true,
    make: async ({ host }) => {
      const { json } = await host.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'old' });
      await host.client.delete(`/api/users/me/api-keys/${json.id}`);
      return asUnknown(host, json.key);
    },
  },
  {
    title: 'the key of a removed member',
    isUnknown: true,
    make: async ({ host }) => {
      const user = await join(host);
      const { json } = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'kept' });
      await remove(host, user);
      return asUnknown(user, json.key);
    },
  },
  { title: 'a removed member', make: async ({ host }) => ({ ...at(host), user: await removed(host) }) },
  {
    title: 'a user of another organization',
    make: async ({ api, host }) => ({ ...at(host), user: await registerUser(api.url) }),
  },
  { title: 'a viewer', role: 'viewer', make: colleague('viewer') },
  { title: 'a member', role: 'member', make: colleague('member') },
  { title: 'an admin', role: 'admin', make: colleague('admin') },
  // Last of these: a new owner takes the place of the former one, who stays an admin.
  { title: 'an owner', role: 'owner', make: async ({ host }) => ({ user: host, headers: {} }) },
  {
    title: 'a managed member',
    role: 'member',
    isManaged: true,
    make: async ({ api, host }) => ({ user: await registerManaged(api, host, 'member'), headers: {} }),
  },
  restricted('member', 'nothing'),
  restricted('member', 'view'),
  restricted('member', 'manage'),
  restricted('viewer', 'manage'),
];

/** What the declaration of a route says about a kind of caller who asks about the host's organization. */
export function receptionOf({ access, rejectsManaged }: Route, kind: CallerKind): Reception {
  if (access === 'public') return 'let in';
  if (kind.isUnknown === true) return 401;
  if (rejectsManaged === true && kind.isManaged === true) return 403;
  if (access === 'signed_in') return 'let in';
  if (kind.role === undefined) return 404;
  if (access === 'in_org') return 'let in';
  if (typeof access === 'object') return isWrittenLetIn(kind.role, access.org) ? 'let in' : 403;
  return isWrittenRight(kind.role, access) && isGranted(kind, access) ? 'let in' : 403;
}

/** What a caller who is turned away is told, at least. */
export function reasonOf(route: Route, kind: CallerKind): string {
  const reception = receptionOf(route, kind);
  if (reception === 401) return 'token';
  if (reception === 404) return 'Organization not found';
  if (route.rejectsManaged === true && kind.isManaged === true) return 'managed';
  return typeof route.access === 'object' ? `role ${route.access.org}` : `permission ${route.access}`;
}

/** The area of keys that decides about a route; any one where no key does. */
export function areaOf({ access }: Route): string {
  const name = accessName(access);
  return isPermissionKey(name) ? (name.split('.')[0] ?? '') : 'agents';
}

function isGranted({ grants }: CallerKind, key: PermissionKey): boolean {
  if (grants === undefined || grants === 'manage') return true;
  return grants === 'view' && key.endsWith('.view');
}

function restricted(role: 'viewer' | 'member', grants: 'nothing' | 'view' | 'manage'): CallerKind {
  return {
    title: `a ${role} whose group grants ${grants === 'nothing' ? 'all but the key' : `${grants} only`}`,
    role,
    grants,
    make: async ({ api, host, area }) => {
      const user = await registerColleague(api, host, role);
      const ofArea = (key: string) => key.startsWith(`${area}.`);
      const others = PERMISSION_CATALOG.map(({ key }) => key).filter((key) => !ofArea(key));
      const permissions = grants === 'nothing' ? others : [`${area}.${grants}`];
      const group = { name: `${role} ${grants} ${area} ${user.id}`, permissions };
      const { json } = await host.client.post<{ id: string }>('/api/permissions/groups', group);
      await host.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [user.id] });
      return { user, headers: {} };
    },
  };
}

function colleague(role: Role): CallerKind['make'] {
  return async ({ api, host }) => ({ user: await registerColleague(api, host, role), headers: {} });
}

function asUnknown(user: TestUser, token: string | undefined): Caller {
  return { user: { ...user, client: new ApiClient(user.client.url, token) }, headers: {} };
}

function at(host: TestUser): Pick<Caller, 'headers'> {
  return { headers: { 'x-org-id': host.orgId } };
}

async function removed(host: TestUser): Promise<TestUser> {
  const user = await join(host);
  await remove(host, user);
  return user;
}

async function remove(host: TestUser, user: TestUser): Promise<void> {
  const { status } = await host.client.delete(`/api/orgs/${host.orgId}/members/${user.id}`);
  if (status !== 204) throw new Error(`the removal answered ${status}`);
}
