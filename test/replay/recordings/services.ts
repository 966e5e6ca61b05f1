import type { Client } from '@temporalio/client';
import { SecretBox } from '../../../db/core/secret-box.ts';
import { sealGrant } from '../../../db/integrations/grants.ts';
import { consentForm } from '../../support/consent-form.ts';
import { createTool } from '../../support/factories.ts';
import { TEST_SECRET_KEY } from '../../support/test-api.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { type Recorder, type Recording, startTalk, workflowOf } from './recorder.ts';

/** Asks an MCP server that is not there for its tools. */
async function probeMcpServer(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const server = { name: 'Probed', url: 'https://mcp.example.invalid/mcp' };
  const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', server);
  const { status } = await user.client.post(`/api/mcp-servers/${json.id}/tools/fetch`);
  if (status !== 502) throw new Error(`the fetch answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'probeMcpServer'" }))
    return workflowId;
  throw new Error('no server was probed');
}

/** Begins to sign in at an MCP server that is not there. */
async function signInAtMcpServer(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const config = { oauth: { grant: 'authorization_code' } };
  const server = { name: 'Signed in', url: 'https://mcp.example.invalid/mcp', auth_type: 'oauth', config };
  const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', server);
  const { status } = await user.client.post(`/api/mcp-servers/${json.id}/oauth/start`);
  if (status !== 502) throw new Error(`the sign-in began with ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'signInAtMcpServer'" }))
    return workflowId;
  throw new Error('nobody has signed in');
}

/** Tests an integration with a service that is not there. */
async function checkIntegration(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const fields = { kind: 'http', name: 'Tested', base_url: 'https://tracker.example.invalid' };
  const integration = { ...fields, credentials: { api_key: 'a-sample-key' } };
  const { json } = await user.client.post<{ id: string }>('/api/integrations', integration);
  const { status } = await user.client.post(`/api/integrations/${json.id}/test`);
  if (status !== 200) throw new Error(`the test answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'checkIntegration'" }))
    return workflowId;
  throw new Error('no integration was tested');
}

/** Tests a destination whose receiver is not there. */
async function testDestination(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const destination = { kind: 'webhook', name: 'Tested', config: { url: 'https://hooks.example.invalid' } };
  const { json } = await user.client.post<{ id: string }>('/api/destinations', destination);
  const { status } = await user.client.post(`/api/destinations/${json.id}/test`);
  if (status !== 200) throw new Error(`the test answered ${status}`);
  return workflowOf(client, 'testDestination');
}

/** Signs in with an integration whose service is not there, and deletes it. */
async function signInWithIntegration(instance: TestInstance, client: Client): Promise<Recording[]> {
  const { user } = await startTalk(instance);
  const fields = { kind: 'gitlab', name: 'Signed in', base_url: 'https://git.example.invalid' };
  const credentials = { client_id: 'a-client', client_secret: 'a-sample-secret' };
  const { json } = await user.client.post<{ id: string }>('/api/integrations', { ...fields, credentials });
  const path = `/api/integrations/${json.id}`;
  const begun = await user.client.post<{ authorize_url: string }>(`${path}/oauth/start`, {});
  const state = new URL(begun.json.authorize_url).searchParams.get('state') ?? '';
  const callback = `${instance.api.url}/api/integrations/oauth/callback`;
  const asked = await fetch(`${callback}?${new URLSearchParams({ state, code: 'a-code' }).toString()}`);
  await fetch(callback, { method: 'POST', body: consentForm(await asked.text()) });
  const grant = sealGrant(
    new SecretBox([TEST_SECRET_KEY]),
    { orgId: user.orgId, id: json.id },
    { accessToken: 'a-token' },
  );
  await instance.api.database.system.query('update integrations set granted = $2 where id = $1', [json.id, grant]);
  await user.client.delete(path);
  return [
    { name: 'sign-in-with-integration', workflowId: await workflowOf(client, 'signInWithIntegration') },
    { name: 'end-integration-grant', workflowId: await workflowOf(client, 'endIntegrationGrant') },
  ];
}

/** The try of a custom tool. */
async function tryTool(instance: TestInstance, client: Client): Promise<string> {
  const { user } = await startTalk(instance);
  const files = {
    'tool.json': JSON.stringify({ parameters: { type: 'object' }, runtime: 'javascript' }),
    'main.js': 'export default () => 1',
  };
  const toolId = await createTool(user.client, files);
  const { status } = await user.client.post(`/api/tools/${toolId}/test`, {});
  if (status !== 200) throw new Error(`the try answered ${status}`);
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'tryTool'" })) return workflowId;
  throw new Error('no tool was tried');
}

export async function recordServices({ instance, client }: Recorder): Promise<Recording[]> {
  return [
    { name: 'probe-mcp-server', workflowId: await probeMcpServer(instance, client) },
    { name: 'check-integration', workflowId: await checkIntegration(instance, client) },
    { name: 'test-destination', workflowId: await testDestination(instance, client) },
    { name: 'sign-in-at-mcp-server', workflowId: await signInAtMcpServer(instance, client) },
    ...(await signInWithIntegration(instance, client)),
    { name: 'try-tool', workflowId: await tryTool(instance, client) },
  ];
}
