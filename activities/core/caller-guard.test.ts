import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { CALLERS } from '../callers.ts';
import { callerGuard } from './caller-guard.ts';

const org = '01900000-0000-7000-8000-000000000001';
const other = '01900000-0000-7000-8000-000000000002';
const chat = '01900000-0000-7000-8000-00000000000a';

interface Attempt {
  readonly activity: string;
  readonly input: unknown;
  /** Type and id; without them the activity was requested directly. */
  readonly workflow?: readonly [type: string, id: string];
}

/** Returns whether the activity is run. */
async function attempt({ activity, input, workflow }: Attempt): Promise<boolean> {
  const info = {
    activityType: activity,
    ...(workflow && { workflowType: workflow[0], workflowExecution: { workflowId: workflow[1], runId: 'run' } }),
  };
  const { inbound } = callerGuard(CALLERS, pino({ level: 'silent' }))({ info } as never);
  let hasRun = false;
  const next = async () => {
    hasRun = true;
  };
  const args = Array.isArray(input) ? input : [input];
  await inbound?.execute?.({ args, headers: {} }, next).catch((error: unknown) => {
    expect(error).toMatchObject({ type: 'WrongCaller', nonRetryable: true });
  });
  return hasRun;
}

test.each<Attempt>([
  { activity: 'runNextTurn', input: { orgId: org, chatId: chat }, workflow: ['conversation', `chat/${org}/${chat}`] },
  { activity: 'runShortTurn', input: { orgId: org, chatId: chat }, workflow: ['conversation', `chat/${org}/${chat}`] },
  { activity: 'runNextTurn', input: { orgId: org, chatId: chat }, workflow: ['subAgent', `sub-agent/${org}/${chat}`] },
  { activity: 'runTool', input: { orgId: org, callId: 'c' }, workflow: ['conversation', `chat/${org}/${chat}`] },
  { activity: 'runTool', input: { orgId: org, callId: 'c' }, workflow: ['subAgent', `sub-agent/${org}/${chat}`] },
  { activity: 'removeOrgFiles', input: { orgId: org }, workflow: ['purgeOrg', `org-purge/${org}`] },
  { activity: 'removeOrgRecords', input: { orgId: org }, workflow: ['purgeOrg', `org-purge/${org}`] },
  {
    activity: 'callProvider',
    input: { orgId: org, accountId: 'a', userId: 'u' },
    workflow: ['probeProvider', `provider-probe/${org}/a/1`],
  },
])('$activity is run by $workflow.0', async (allowed) => {
  expect(await attempt(allowed)).toBe(true);
});

test.each<Attempt>([
  { activity: 'removeOrgFiles', input: { orgId: org } },
  { activity: 'runNextTurn', input: { orgId: org, chatId: chat } },
  { activity: 'runShortTurn', input: { orgId: org, chatId: chat } },
  { activity: 'removeOrgFiles', input: { orgId: org }, workflow: ['purgeOrg', `org-purge/${other}`] },
  { activity: 'removeOrgFiles', input: { orgId: org }, workflow: ['conversation', `org-purge/${org}`] },
  { activity: 'removeOrgFiles', input: { orgId: org }, workflow: ['purgeOrg', `org-purge/${org}/more`] },
  { activity: 'removeOrgFiles', input: [{ orgId: org }, 'more'], workflow: ['purgeOrg', `org-purge/${org}`] },
  { activity: 'removeOrgFiles', input: [], workflow: ['purgeOrg', `org-purge/${org}`] },
  { activity: 'removeOrgFiles', input: null, workflow: ['purgeOrg', 'org-purge/null'] },
  { activity: 'runNextTurn', input: { orgId: org, chatId: chat }, workflow: ['conversation', `chat/${other}/${chat}`] },
  {
    activity: 'runShortTurn',
    input: { orgId: org, chatId: chat },
    workflow: ['conversation', `chat/${other}/${chat}`],
  },
  { activity: 'runNextTurn', input: { orgId: org, chatId: chat }, workflow: ['subAgent', `chat/${org}/${chat}`] },
  { activity: 'runTool', input: { orgId: org, callId: 'c' }, workflow: ['conversation', `chat/${other}/${chat}`] },
  { activity: 'runTool', input: { orgId: org, callId: 'c' }, workflow: ['purgeOrg', `chat/${org}/${chat}`] },
  {
    activity: 'callProvider',
    input: { orgId: org, accountId: 'a', userId: 'u' },
    workflow: ['probeProvider', `provider-probe/${org}/b/1`],
  },
  { activity: 'toString', input: { orgId: org }, workflow: ['purgeOrg', `org-purge/${org}`] },
  { activity: 'unknown', input: { orgId: org }, workflow: ['purgeOrg', `org-purge/${org}`] },
])('$activity is not run by $workflow with $input', async (refused) => {
  expect(await attempt(refused)).toBe(false);
});
