import { randomUUID } from 'node:crypto';
import type { ApiClient } from './api-client.ts';
import { registerUser, type TestUser } from './factories.ts';

/** An invite as its creator is told of it. */
export interface TestInvite {
  readonly id: string;
  readonly token: string;
  readonly role: string;
  readonly email: string | null;
  readonly invite_path: string;
  readonly cli_install_sh?: string;
  readonly cli_install_ps?: string;
  readonly expires_at: string;
}

/** The credentials of a device that has redeemed an invite. */
export interface TestDevice {
  readonly access_token: string;
  readonly device_token: string;
  readonly api_key: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly user_id: string;
  readonly created_account: boolean;
}

type Host = Pick<TestUser, 'client' | 'orgId'>;

/** Invites somebody into the active organization of `host`. */
export async function invite(host: Host, fields: Record<string, unknown> = {}): Promise<TestInvite> {
  const answer = await host.client.post<TestInvite>(`/api/orgs/${host.orgId}/invites`, { role: 'member', ...fields });
  if (answer.status !== 201) throw new Error(`the invite answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  return answer.json;
}

/** Registers a user and lets them accept an invite of `host`, whose organization becomes their active one. */
export async function join(host: Host, role: 'viewer' | 'member' | 'admin' = 'member'): Promise<TestUser> {
  const { token } = await invite(host, { role });
  const user = await registerUser(host.client.url);
  const accepted = await user.client.post('/api/orgs/accept-invite', { token });
  const switched = await user.client.post(`/api/orgs/${host.orgId}/switch`);
  if (accepted.status !== 200 || switched.status !== 200) throw new Error('the invite could not be accepted');
  return { ...user, orgId: host.orgId };
}

/** Redeems an invite as a device would. */
export async function redeem(client: ApiClient, token: string, name = 'laptop') {
  return client.as(undefined).post<TestDevice>('/api/auth/cli/redeem', { token, device_name: name, platform: 'Linux' });
}

/** Signs a device in to the organization of `host`, with an account made for it. */
export async function addDevice(host: Host, email = newEmail()): Promise<TestDevice> {
  const answer = await redeem(host.client, (await invite(host, { email })).token);
  if (answer.status !== 200) throw new Error(`redeeming answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  return answer.json;
}

/** Returns an address that nobody has. */
export function newEmail(): string {
  return `invited-${randomUUID()}@example.com`;
}
