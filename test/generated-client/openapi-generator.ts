// Uses the client that OpenAPI Generator writes in TypeScript: lists records, has an agent answer, and reads errors.
import {
  AgentsApi,
  Configuration,
  IntegrationsApi,
  MCPServersApi,
  OpenAICompatibleApi,
  OpenAiErrorFromJSON,
  ProblemFromJSON,
  ResponseError,
} from './everturn/index.js';

const [basePath = '', accessToken = ''] = process.argv.slice(2);
const configuration = new Configuration({ basePath, accessToken });
const agents = new AgentsApi(configuration);

async function ask(model: string) {
  const agentResponseRequest = { model, input: '[[say Good morning]]' };
  return new OpenAICompatibleApi(configuration).createResponse({ agentResponseRequest });
}

async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ResponseError) return error.response.json();
    throw error;
  }
  throw new Error('it was answered');
}

const { name: agent } = await agents.createAgent({ agentCreate: { name: 'Helper' } });
const [server] = await new MCPServersApi(configuration).listMcpServers();
const [integration] = await new IntegrationsApi(configuration).listIntegrations();
const report = {
  agent,
  server: server?.name,
  integration: integration?.name,
  answer: (await ask('Helper')).output[0]?.content[0]?.text,
  code: OpenAiErrorFromJSON(await refusal(ask('Nobody'))).error.code,
  missing: ProblemFromJSON(await refusal(agents.getAgent({ agentId: crypto.randomUUID() }))).detail,
};
process.stdout.write(JSON.stringify(report));
