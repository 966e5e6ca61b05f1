import type { Client } from '@temporalio/client';
import { subAgentId } from '../../../workflows/turns/contract.ts';
import { WORKFLOWS_OF_WORK } from '../../../workflows/due-work/contract.ts';
import { createAgent } from '../../support/factories.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, type Talk, decideNext, numbered, say, startTalk } from './recorder.ts';

async function talk(instance: TestInstance, turns: number): Promise<string> {
  const talk = await startTalk(instance);
  for (let turn = 1; turn <= turns; turn += 1) {
    say(talk, `message ${turn}`);
    await talk.socket.waitForEnd(turn);
  }
  return talk.workflowId;
}

async function blockFirstTurn(instance: TestInstance, gate: string): Promise<Talk> {
  const talk = await startTalk(instance);
  say(talk, `[[hold ${gate} after 3 chunks]] hello`);
  await talk.socket.waitFor('the first words', ({ type }) => type === 'chunk');
  return talk;
}

async function wakeDuringTurn(instance: TestInstance): Promise<string> {
  const talk = await blockFirstTurn(instance, 'woken');
  say(talk, 'and one more thing');
  await waitUntil('the second message to be stored', async () => {
    const { rowCount } = await instance.api.database.system.query("select from messages where content like 'and one%'");
    return rowCount === 1 ? true : undefined;
  });
  instance.model.release('woken');
  await talk.socket.waitForEnd(2);
  return talk.workflowId;
}

/** A turn that outlasts the local activity. */
async function takeLong(instance: TestInstance, client: Client): Promise<string> {
  const talk = await blockFirstTurn(instance, 'long');
  const handle = client.workflow.getHandle(talk.workflowId);
  await waitUntil('an activity to wait for the turn', async () => {
    // The turn begins before its workflow does.
    const description = await handle.describe().catch(() => undefined);
    return description?.raw.pendingActivities?.length === 1 ? true : undefined;
  });
  instance.model.release('long');
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

/** A turn that outlasts the timer of a conversation that lingers. */
async function outlastTimer(instance: TestInstance, client: Client): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, 'hello');
  await talk.socket.waitForEnd();
  say(talk, '[[hold lingering after 3 chunks]] and then');
  const handle = client.workflow.getHandle(talk.workflowId);
  await waitUntil('the second timer', async () => {
    const { events } = await handle.fetchHistory();
    const timers = events?.filter(({ timerStartedEventAttributes: started }) => started != null);
    return timers?.length === 2 || undefined;
  });
  instance.model.release('lingering');
  await talk.socket.waitForEnd(2);
  return talk.workflowId;
}

async function crashDuringTurn(instance: TestInstance): Promise<string> {
  const talk = await blockFirstTurn(instance, 'crash');
  await instance.workers[0]?.kill();
  instance.model.release('crash');
  await instance.addWorker();
  await talk.socket.waitForEnd(1, 60_000);
  return talk.workflowId;
}

// Not a quick one: those leave no trace in a history.
const tool = ({ model }: TestInstance) => `[[tool http_request ${JSON.stringify({ url: `${model.url}/models` })}]]`;

const spawn = (agent: string, task: string) => `[[tool agent_spawn ${JSON.stringify({ agent, task })}]]`;

async function callTools(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(
    talk,
    `${tool(instance)} [[tool math_evaluate {"expression": "1+1"}]] [[then]] ${tool(instance)} [[then]] [[say done]]`,
  );
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

async function crashBetweenSteps(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, `${tool(instance)} [[then]] [[hold between after 3 chunks]] after the tool`);
  await talk.socket.waitFor('the words after the tool', ({ type }) => type === 'chunk');
  await instance.workers.at(-1)?.kill();
  instance.model.release('between');
  await instance.addWorker();
  await talk.socket.waitForEnd(1, 60_000);
  return talk.workflowId;
}

interface Delegated {
  readonly workflowId: string;
  readonly subAgents: readonly string[];
}

/** Three sub-agents, two at a time; one of them has one of its own. */
async function delegate(instance: TestInstance): Promise<Delegated> {
  const talk = await startTalk(instance);
  const nested = `${spawn('Guide', `${tool(instance)} [[then]] [[say guided]]`)} [[then]] [[say scouted]]`;
  const three = [nested, '[[say two]]', '[[say three]]'].map((task) => spawn('Scout', task));
  say(talk, `${three.join(' ')} [[then]] [[say done]]`);
  await talk.socket.waitForEnd();
  return { workflowId: talk.workflowId, subAgents: subAgentsOf(talk) };
}

async function interruptSubAgents(instance: TestInstance, client: Client): Promise<Delegated> {
  const talk = await startTalk(instance);
  const nested = `${spawn('Guide', '[[hold never after 2 chunks]] deep down')} [[then]] [[say scouted]]`;
  say(talk, `${spawn('Scout', nested)} ${spawn('Scout', '[[hold never after 2 chunks]] here')} [[then]] [[say done]]`);
  await instance.model.waitForRequest(({ messages }) => JSON.stringify(messages.at(-1)).includes('deep down'));
  await talk.interrupt();
  await talk.socket.waitForEnd();
  // They begin before their workflows do, so some are stopped without one.
  const begun = await Promise.all(subAgentsOf(talk).map(async (id) => ((await isKnown(client, id)) ? [id] : [])));
  return { workflowId: talk.workflowId, subAgents: begun.flat() };
}

async function isKnown(client: Client, workflowId: string): Promise<boolean> {
  const description = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return description !== undefined;
}

function subAgentsOf({ socket, workflowId }: Talk): string[] {
  const [, orgId = ''] = workflowId.split('/');
  return socket.frames
    .filter(({ type }) => type === 'sub_agent_start')
    .map((frame) => subAgentId({ orgId, chatId: String(frame['sub_chat_id']) }));
}

async function waitForProvider(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, '[[status 429 retry-after 1]] [[times 1]] patience');
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

async function interruptWait(instance: TestInstance): Promise<string> {
  const talk = await startTalk(instance);
  say(talk, '[[status 429 retry-after 600]] in vain');
  await waitUntil('the turn to wait', async () => {
    const { rowCount } = await instance.api.database.system.query(
      "select from turns where waiting_until > now() + interval '1 minute'",
    );
    return rowCount === 1 ? true : undefined;
  });
  await talk.interrupt();
  await talk.socket.waitForEnd();
  return talk.workflowId;
}

/** A call of a sub-agent that waits for a decision, and then for another one. */
export async function waitForDecisions(instance: TestInstance): Promise<Delegated> {
  const talk = await startTalk(instance);
  const modes = { '*': 'always', agent_spawn: 'never' };
  await createAgent(talk.user.client, { name: 'Careful', tools: ['math_evaluate'], requires_approval: modes });
  const calculate = '[[tool math_evaluate {"expression": "1+1"}]]';
  say(talk, `${spawn('Careful', `${calculate} [[then]] ${calculate} [[then]] [[say two]]`)} [[then]] [[say done]]`);
  for (const approve of [true, false]) await decideNext(talk.user, approve);
  await talk.socket.waitForEnd();
  return { workflowId: talk.workflowId, subAgents: subAgentsOf(talk) };
}

/** Conversations whose worker is killed: of all recordings these come first, because they end the work of others. */
export async function recordCrashes({ instance }: Recorder): Promise<Recording[]> {
  return [
    { name: 'conversation-retried-after-a-crash', workflowId: await crashDuringTurn(instance) },
    { name: 'conversation-retried-between-steps', workflowId: await crashBetweenSteps(instance) },
  ];
}

export async function recordConversations({ instance, client }: Recorder): Promise<Recording[]> {
  const delegated = await delegate(instance);
  const stopped = await interruptSubAgents(instance, client);
  const decided = await waitForDecisions(instance);
  return [
    { name: 'conversation-with-sub-agents', workflowId: delegated.workflowId },
    ...numbered('sub-agent', delegated.subAgents),
    { name: 'conversation-interrupted-with-sub-agents', workflowId: stopped.workflowId },
    ...numbered('sub-agent-interrupted', stopped.subAgents),
    { name: 'conversation-waited-for-decisions', workflowId: decided.workflowId },
    ...numbered('sub-agent-waited-for-decisions', decided.subAgents),
    { name: 'conversation-with-tool-calls', workflowId: await callTools(instance) },
    { name: 'conversation-waited-for-a-provider', workflowId: await waitForProvider(instance) },
    { name: 'conversation-interrupted-in-a-wait', workflowId: await interruptWait(instance) },
    { name: 'conversation-one-turn', workflowId: await talk(instance, 1) },
    { name: 'conversation-several-turns', workflowId: await talk(instance, 3) },
    { name: 'conversation-with-a-long-turn', workflowId: await takeLong(instance, client) },
    { name: 'conversation-lingered-after-a-long-turn', workflowId: await outlastTimer(instance, client) },
    { name: 'conversation-woken-during-a-turn', workflowId: await wakeDuringTurn(instance) },
    { name: 'enter-messages', workflowId: WORKFLOWS_OF_WORK.messages.idOf() },
  ];
}

/** Says enough for a conversation to continue as new. */
export const talkLong = async (instance: TestInstance) => talk(instance, 8);
