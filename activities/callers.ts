import {
  AGENT_WORKFLOW_RUN,
  agentWorkflowRunId,
  type NextStepOfRunInput,
} from '../workflows/agent-workflows/contract.ts';
import { WORKFLOWS_OF_WORK } from '../workflows/due-work/contract.ts';
import {
  HOUSEKEEPING,
  housekeepingId,
  type HousekeepingInput,
  PURGE_ORG,
  purgeOrgId,
  type PurgeOrgInput,
} from '../workflows/housekeeping/contract.ts';
import { providerSignInId, type ProviderSignInInput, SIGN_IN_AT_PROVIDER } from '../workflows/providers/contract.ts';
import { type DecideSlotsInput, SCHEDULE_SLOT, scheduleSlotsId } from '../workflows/schedules/contract.ts';
import { SHORT_WORKFLOWS } from '../workflows/short/contract.ts';
import { type NextStepOfTaskInput, TASK, taskWorkflowId } from '../workflows/tasks/contract.ts';
import {
  CONVERSATION,
  conversationId,
  type ConversationInput,
  type RunToolInput,
  SUB_AGENT,
  subAgentId,
} from '../workflows/turns/contract.ts';
import type { WorkflowCaller } from './core/caller-guard.ts';
import type { Activities } from './index.ts';

type CallersOf = {
  readonly [Name in keyof Activities]: (input: Parameters<Activities[Name]>[0]) => readonly WorkflowCaller[];
};

/** The activities that are the whole of a workflow. */
type OfOneWorkflow =
  | (typeof WORKFLOWS_OF_WORK)[keyof typeof WORKFLOWS_OF_WORK]['activity']
  | (typeof SHORT_WORKFLOWS)[keyof typeof SHORT_WORKFLOWS]['activity'];

const ofOneWorkflow = Object.fromEntries(
  [
    ...Object.values(WORKFLOWS_OF_WORK),
    ...Object.entries(SHORT_WORKFLOWS).map(([type, workflow]) => ({ type, ...workflow })),
  ].map(({ type, activity, idOf }) => [activity, (input: never) => [{ type, id: idOf(input) }]]),
) as unknown as Pick<CallersOf, OfOneWorkflow>;

/** The workflows that may run each activity. */
export const CALLERS: CallersOf = {
  ...ofOneWorkflow,
  runNextTurn: workflowsOfChat,
  runShortTurn: workflowsOfChat,
  runTool: ({ orgId }: RunToolInput) => [
    { type: CONVERSATION, id: { prefix: conversationId({ orgId, chatId: '' }) } },
    { type: SUB_AGENT, id: { prefix: subAgentId({ orgId, chatId: '' }) } },
  ],
  nextStepOfRun: (run: NextStepOfRunInput) => [{ type: AGENT_WORKFLOW_RUN, id: agentWorkflowRunId(run) }],
  signInWithCli: workflowOfSignIn,
  failProviderSignIn: workflowOfSignIn,
  decideSlots: (schedule: DecideSlotsInput) => [
    { type: SCHEDULE_SLOT, id: { prefix: `${scheduleSlotsId(schedule)}-` } },
  ],
  nextStepOfTask: (task: NextStepOfTaskInput) => [{ type: TASK, id: taskWorkflowId(task) }],
  runHousekeeping: (due: HousekeepingInput) => [{ type: HOUSEKEEPING, id: { prefix: housekeepingId(due) } }],
  removeOrgRecords: (org: PurgeOrgInput) => [{ type: PURGE_ORG, id: purgeOrgId(org) }],
  removeOrgFiles: (org: PurgeOrgInput) => [{ type: PURGE_ORG, id: purgeOrgId(org) }],
};

function workflowOfSignIn(signIn: ProviderSignInInput): readonly WorkflowCaller[] {
  return [{ type: SIGN_IN_AT_PROVIDER, id: providerSignInId(signIn) }];
}

function workflowsOfChat(chat: ConversationInput): readonly WorkflowCaller[] {
  return [
    { type: CONVERSATION, id: conversationId(chat) },
    { type: SUB_AGENT, id: subAgentId(chat) },
  ];
}
