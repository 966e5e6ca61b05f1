import { randomUUID } from 'node:crypto';
import { ApiClient } from './api-client.ts';

interface Created {
  readonly id: string;
}

/** A user and their active organization, which they own unless they were invited. */
export interface TestUser {
  readonly client: ApiClient;
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

const PASSWORD = 'correct horse battery';

/** Registers a user, with an organization of their own unless an invite token is among the fields. */
export async function registerUser(url: string, fields: Record<string, unknown> = {}): Promise<TestUser> {
  const email = `user-${randomUUID()}@example.com`;
  const answer = await new ApiClient(url).post<{
    access_token: string;
    refresh_token: string;
    user: { id: string; active_org_id: string };
  }>('/api/auth/register', { email, password: PASSWORD, ...fields });
  if (answer.status !== 201) throw new Error(`registration answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  const { access_token: accessToken, refresh_token: refreshToken, user } = answer.json;
  const client = new ApiClient(url, accessToken);
  return { client, id: user.id, orgId: user.active_org_id, email, password: PASSWORD, accessToken, refreshToken };
}

/** Creates an agent and returns its id. */
export async function createAgent(client: ApiClient, fields: Record<string, unknown> = {}): Promise<string> {
  return created(await client.post<Created>('/api/agents', { name: 'Test agent', ...fields }));
}

/** Creates a chat, with an agent of its own unless one is given, and returns its id. */
export async function createChat(client: ApiClient, agentId?: string): Promise<string> {
  return created(await client.post<Created>('/api/chats', { agent_id: agentId ?? (await createAgent(client)) }));
}

/** Adds a provider account that leads to an OpenAI-compatible server, and returns its id. */
export async function createProvider(
  client: ApiClient,
  baseUrl: string,
  fields: Record<string, unknown> = {},
): Promise<string> {
  return created(
    await client.post<Created>('/api/providers', {
      provider_type: 'openai-compatible',
      name: 'Scripted model',
      base_url: baseUrl,
      model_name: 'scripted-1',
      credentials: { api_key: 'sk-test-0123456789abcdef' },
      ...fields,
    }),
  );
}

/** Creates a provider chain and returns its id. */
export async function createChain(client: ApiClient, fields: Record<string, unknown> = {}): Promise<string> {
  const steps = [{ provider_type: 'openai-compatible' }];
  return created(await client.post<Created>('/api/providers/chains', { name: 'Test chain', steps, ...fields }));
}

/** Adds a file to a chat and returns its id. */
export async function uploadFile(
  client: ApiClient,
  chatId: string,
  { name = 'notes.txt', content = 'Some notes.' }: { name?: string; content?: string | Buffer } = {},
): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  return created(await client.upload<Created>(`/api/chats/${chatId}/files`, form));
}

/** Creates a tool with definition files, by path, and returns its id. */
export async function createTool(
  client: ApiClient,
  files: Readonly<Record<string, string>>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const record = {
    key: 'custom_tool',
    name: 'Custom tool',
    description: 'Does what a test needs.',
    category: 'custom',
  };
  const id = created(await client.post<Created>('/api/tools', { ...record, ...fields }));
  for (const [path, content] of Object.entries(files)) {
    const { status, json } = await client.send('PUT', `/api/tools/${id}/files/${path}`, { content });
    if (status >= 300) throw new Error(`storing ${path} answered ${status}: ${JSON.stringify(json)}`);
  }
  return id;
}

/** Returns the id of what a request has created. */
export function created({ status, json }: { status: number; json: Created }): string {
  if (status !== 201) throw new Error(`creation answered ${status}: ${JSON.stringify(json)}`);
  return json.id;
}
