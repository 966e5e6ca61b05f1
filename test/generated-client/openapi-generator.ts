// Uses the client that OpenAPI Generator writes in TypeScript: signs in, lists records, has an agent answer, and reads
// errors.
import {
  AgentsApi,
  AuthenticationApi,
  ChatsApi,
  Configuration,
  IntegrationsApi,
  MCPServersApi,
  OpenAICompatibleApi,
  OpenAiErrorFromJSON,
  ProblemFromJSON,
  ResponseError,
} from './everturn/index.js';

const [basePath = '', email = '', password = ''] = process.argv.slice(2);
const session = await new AuthenticationApi(new Configuration({ basePath })).login({
  credentials: { email, password },
});
const configuration = new Configuration({ basePath, accessToken: session.accessToken });
const agents = new AgentsApi(configuration);
const chats = new ChatsApi(configuration);

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

const xOrgId = session.user.activeOrgId ?? '';
const agent = await agents.createAgent({ agentCreate: { name: 'Helper' }, xOrgId });
const { id: chatId } = await chats.createChat({ chatCreate: { agentId: agent.id } });
const events = await chats.sendMessage({ chatId, messageCreate: { content: '[[say Good evening]]' } });
const messages = await chats.listMessages({ chatId });
const [server] = await new MCPServersApi(configuration).listMcpServers();
const [integration] = await new IntegrationsApi(configuration).listIntegrations();
const invalid = ProblemFromJSON(await refusal(agents.createAgent({ agentCreate: { name: ' ' } }))).detail;
const report = {
  agent: agent.name,
  server: server?.name,
  integration: integration?.name,
  has_ended: events.includes('event: stream_end\n'),
  message: messages.at(-1)?.content,
  answer: (await ask('Helper')).output[0]?.content[0]?.text,
  code: OpenAiErrorFromJSON(await refusal(ask('Nobody'))).error.code,
  missing: ProblemFromJSON(await refusal(agents.getAgent({ agentId: crypto.randomUUID() }))).detail,
  invalid: typeof invalid === 'string' ? invalid : invalid[0]?.msg,
};
process.stdout.write(JSON.stringify(report));
