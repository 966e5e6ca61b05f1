import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import proto from '@temporalio/proto';
import { waitUntil } from './wait-until.ts';

const { CommandType, IndexedValueType } = proto.temporal.api.enums.v1;
const namespace = 'default';

/** Search attributes of our own, one of each kind of column that is searched in a way of its own. */
const color = defineSearchAttributeKey('Color', 'KEYWORD');
const words = defineSearchAttributeKey('Words', 'TEXT');
const tags = defineSearchAttributeKey('Tags', 'KEYWORD_LIST');
const amount = defineSearchAttributeKey('Amount', 'INT');

/** Those that a workflow gives itself while it runs. */
type OwnAttributes = Readonly<Record<string, { readonly type: 'KeywordList' | 'Text'; readonly value: unknown }>>;

/** Adds the search attributes to a server. */
export async function addSearchAttributes({ connection }: Client): Promise<void> {
  const searchAttributes = {
    [color.name]: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    [words.name]: IndexedValueType.INDEXED_VALUE_TYPE_TEXT,
    [tags.name]: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
    [amount.name]: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  };
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  await waitUntil('the search attributes', async () => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return customAttributes?.[tags.name] === undefined ? undefined : true;
  });
}

/**
 * Makes workflows of every kind that lists tell apart, one after the other, with ids that begin with the given name,
 * and waits until the server lists them all.
 */
export async function makeWorkflows(client: Client, name: string): Promise<void> {
  const start = async (id: string, attributes: SearchAttributePair[] = [], type = 'conversation'): Promise<void> => {
    const workflowId = `${name}/${id}`;
    const typedSearchAttributes = attributes;
    // A queue of its own: the next task there is that of this workflow.
    await client.workflow.start(type, { workflowId, taskQueue: workflowId, memo: { id }, typedSearchAttributes });
  };
  await start('open', [
    { key: color, value: 'red' },
    { key: words, value: 'Quick red fox' },
    { key: tags, value: ['a', 'b'] },
    { key: amount, value: 3 },
  ]);
  await start('untold');
  await start('completed', [{ key: tags, value: ['a'] }]);
  await complete(client, `${name}/completed`, {
    [tags.name]: { type: 'KeywordList', value: ['b', 'c'] },
    [words.name]: { type: 'Text', value: 'a hen' },
    TemporalChangeVersion: { type: 'KeywordList', value: ['step-1'] },
  });
  await start('failed');
  await decide(client, `${name}/failed`, [
    {
      commandType: CommandType.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION,
      failWorkflowExecutionCommandAttributes: { failure: { message: 'no' } },
    },
  ]);
  await start('terminated', [{ key: color, value: 'blue' }], 'subAgent');
  await client.workflow.getHandle(`${name}/terminated`).terminate();
  await start('continued');
  await decide(client, `${name}/continued`, [
    {
      commandType: CommandType.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION,
      continueAsNewWorkflowExecutionCommandAttributes: {
        workflowType: { name: 'conversation' },
        taskQueue: { name: `${name}/continued` },
      },
    },
  ]);
  await start('parent');
  await decide(client, `${name}/parent`, [
    {
      commandType: CommandType.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION,
      startChildWorkflowExecutionCommandAttributes: {
        namespace,
        workflowId: `${name}/child`,
        workflowType: { name: 'subAgent' },
        taskQueue: { name: `${name}/child` },
      },
    },
  ]);
  await client.workflow.start('other', { workflowId: `${name}/late`, taskQueue: 'late', workflowRunTimeout: '1s' });
  await waitUntil(`the list of ${name}`, async () => (await isListed(client, name)) || undefined);
}

/** Tells whether the server lists as many workflows of each status as were made, and knows their builds. */
async function isListed({ workflow }: Client, name: string): Promise<boolean> {
  const ofName = `WorkflowId STARTS_WITH '${name}/'`;
  const { groups } = await workflow.count(`${ofName} GROUP BY ExecutionStatus`);
  const counts = new Map(groups.map(({ groupValues, count }) => [String(groupValues[0]), count]));
  const expected = { Running: 5, Completed: 1, Failed: 1, Terminated: 1, ContinuedAsNew: 1, TimedOut: 1 };
  if (Object.entries(expected).some(([status, count]) => counts.get(status) !== count)) return false;
  return (await workflow.count(`${ofName} AND BuildIds = 'unversioned:build'`)).count === 4;
}

/** Completes a workflow that gives itself search attributes first. */
export async function complete(client: Client, workflowId: string, attributes: OwnAttributes): Promise<void> {
  const indexedFields = Object.fromEntries(
    Object.entries(attributes).map(([key, { type, value }]) => [
      key,
      {
        metadata: { encoding: Buffer.from('json/plain'), type: Buffer.from(type) },
        data: Buffer.from(JSON.stringify(value)),
      },
    ]),
  );
  await decide(client, workflowId, [
    {
      commandType: CommandType.COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
      upsertWorkflowSearchAttributesCommandAttributes: { searchAttributes: { indexedFields } },
    },
    {
      commandType: CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION,
      completeWorkflowExecutionCommandAttributes: {},
    },
  ]);
}

type Commands = NonNullable<Parameters<Client['workflowService']['respondWorkflowTaskCompleted']>[0]['commands']>;

/** Answers the task of a workflow as a worker does whose code decides so. */
async function decide(client: Client, workflowId: string, commands: Commands): Promise<void> {
  const { workflowService, connection } = client;
  const { taskToken } = await connection.withDeadline(Date.now() + 20_000, async () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: workflowId } }),
  );
  await workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    commands,
    workerVersionStamp: { buildId: 'build' },
  });
}
