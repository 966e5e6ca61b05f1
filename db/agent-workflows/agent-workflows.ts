import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AgentWorkflow } from './agent-workflow.entity.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import { type ExpectedVersions, requireVersion } from '../../domain/resources.ts';
import { stepsOf } from '../../domain/agent-workflows.ts';
import { requireAgents } from '../agents/agents.ts';
import { readRecords } from '../records/records.ts';
import { stopTurnsOfWorkflow } from '../turns/runs.ts';
import { dequeueRuns } from './runs/run-queue.ts';

/** The fields of a workflow that a caller sets, apart from its secret. */
export type AgentWorkflowFields = Pick<
  AgentWorkflow,
  | 'name'
  | 'description'
  | 'agentId'
  | 'triggerType'
  | 'promptTemplate'
  | 'steps'
  | 'maxConcurrentRuns'
  | 'timeLimitMinutes'
  | 'keepRunsDays'
>;

/** The changeable fields of a workflow. A `webhookSecret` replaces the stored one, null removes it. */
export type AgentWorkflowChanges = Partial<AgentWorkflowFields> & {
  readonly webhookSecret?: string | null | undefined;
};

const THING = 'Workflow';

/** The user who adds or changes a workflow, and the agents that they may use. */
export type WorkflowActor = Membership & AgentBound;

/** A workflow, and who asks for it. */
export interface WorkflowRef extends AgentBound {
  readonly id: string;
  /** The versions of it that a change is meant for. */
  readonly expected?: ExpectedVersions;
}

/** Returns the organization's workflows whose agents may all be used, oldest first. */
export async function listAgentWorkflows(
  database: Database,
  orgId: string,
  { allowedAgentIds, ...page }: Page & AgentBound,
): Promise<Listed<AgentWorkflow>> {
  const where = workflowIsVisible('agent_workflows', '$2');
  const values = [allowedAgentIds ?? null];
  return readRecords(database, orgId, AgentWorkflow, { name: 'list-agent-workflows', where, values, page });
}

/** Returns the workflow; `not_found` when there is none, or when one of its agents may not be used. */
export async function getAgentWorkflow(em: EntityManager, { id, ...bound }: WorkflowRef): Promise<AgentWorkflow> {
  return requireVisible(await em.findOne(AgentWorkflow, { id }), bound);
}

/** Returns the workflow as `getAgentWorkflow` does, locked until the transaction has ended. */
export async function lockAgentWorkflow(
  em: EntityManager,
  { id, expected, ...bound }: WorkflowRef,
): Promise<AgentWorkflow> {
  const found = await em.findOne(AgentWorkflow, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const workflow = requireVisible(found, bound);
  requireVersion(workflow, expected);
  return workflow;
}

function requireVisible(workflow: AgentWorkflow | null, bound: AgentBound): AgentWorkflow {
  if (workflow === null || !isVisible(workflow, bound)) throw notFound(THING);
  return workflow;
}

/**
 * Adds a workflow, which is inactive and belongs to its creator; `not_found` when it names an agent that is unknown, or
 * that they may not use.
 */
export async function createAgentWorkflow(
  em: EntityManager,
  box: SecretBox,
  { orgId, userId: ownerId, ...bound }: WorkflowActor,
  { webhookSecret, ...fields }: AgentWorkflowFields & Pick<AgentWorkflowChanges, 'webhookSecret'>,
): Promise<AgentWorkflow> {
  checkPrompts(fields);
  await requireUsableAgents(em, bound, fields);
  const id = uuidv7();
  const sealed = webhookSecret == null ? null : workflowSecrets.seal(box, { orgId, id }, webhookSecret);
  const data = { ...fields, id, orgId, ownerId, isActive: false, webhookSecret: sealed };
  return em.create(AgentWorkflow, data as RequiredEntityData<AgentWorkflow>, { persist: true });
}

/**
 * Changes the given fields of a locked workflow only. Who changes what its runs do, or who can start them, becomes its
 * owner, in whose name they run: nobody makes another's agent work with rights that they lack themselves. A new owner
 * says what becomes of the secret, which the former one knows: `unprocessable` without. `not_found` when it names an
 * agent that is unknown, or that they may not use.
 */
export async function updateAgentWorkflow(
  em: EntityManager,
  box: SecretBox,
  { userId, ...bound }: WorkflowActor,
  { workflow, changes }: { readonly workflow: AgentWorkflow; readonly changes: AgentWorkflowChanges },
): Promise<AgentWorkflow> {
  const { webhookSecret, ...fields } = changes;
  const before = workOf(workflow);
  const namedBefore = agentsOf(workflow);
  em.assign(workflow, fields, { mergeObjectProperties: false });
  checkPrompts(workflow);
  await requireUsableAgents(em, bound, fields, namedBefore);
  if (webhookSecret !== undefined)
    workflow.webhookSecret = webhookSecret === null ? null : workflowSecrets.seal(box, workflow, webhookSecret);
  // The same secret sealed again is another one here: who sends it knows it.
  if (!isDeepStrictEqual(before, workOf(workflow))) {
    if (webhookSecret === undefined) takeOver(workflow, userId, 'unprocessable');
    workflow.ownerId = userId;
  }
  if (fields.keepRunsDays !== undefined) workflow.purgeAt = new Date();
  await em.flush();
  // More runs may begin now.
  if (fields.maxConcurrentRuns !== undefined) await dequeueRuns(em, { workflowId: workflow.id, scheduleId: null });
  return workflow;
}

/**
 * Activates or deactivates the webhook or the times of a locked workflow. The user who activates it becomes the owner:
 * otherwise they could start runs in the name of somebody who has stopped it. `conflict` when the former owner knows
 * its secret.
 */
export function setActive({ userId }: Membership, workflow: AgentWorkflow, isActive: boolean): AgentWorkflow {
  if (isActive && !workflow.isActive) takeOver(workflow, userId, 'conflict');
  workflow.isActive = isActive;
  return workflow;
}

/** Deletes a locked workflow with its times and its runs, whose turns are asked to stop. Their conversations stay. */
export async function deleteAgentWorkflow(em: EntityManager, { id, orgId }: AgentWorkflow): Promise<void> {
  await stopTurnsOfWorkflow(em, id);
  const schedules = await em.execute<{ id: string }[]>('select id from schedules where workflow_id = ?', [id]);
  afterCommit(em, { dueWork: schedules.map((schedule) => ({ kind: 'schedule', orgId, scheduleId: schedule.id })) });
  await em.nativeDelete(AgentWorkflow, { id });
}

// Deleted agents stay named, and a workflow may be sent back as it is.
async function requireUsableAgents(
  em: EntityManager,
  bound: AgentBound,
  fields: AgentWorkflowChanges,
  namedBefore: readonly string[] = [],
): Promise<void> {
  if (!isVisible(fields, bound)) throw notFound('Agent');
  const added = agentsOf(fields).filter((id) => !namedBefore.includes(id));
  await requireAgents(em, added);
}

/** Makes somebody the owner of a locked workflow; the error when the former one knows its secret. */
export function takeOver(workflow: AgentWorkflow, userId: string, code: 'unprocessable' | 'conflict'): void {
  if (isSecretOfAnother(workflow, userId)) throw secretOfAnother(code);
  workflow.ownerId = userId;
}

function isSecretOfAnother({ ownerId, webhookSecret }: AgentWorkflow, userId: string): boolean {
  return webhookSecret !== null && ownerId !== userId;
}

function secretOfAnother(code: 'unprocessable' | 'conflict'): AppError {
  const advice = code === 'conflict' ? 'Set a webhook_secret first' : 'Send a webhook_secret with the change';
  return new AppError(
    code,
    `Whoever knows the present secret would start runs in your name. ${advice}, or null for none`,
  );
}

// What its runs do, and who can start them.
const workOf = ({ agentId, promptTemplate, steps, triggerType, webhookSecret }: AgentWorkflow) => ({
  agentId,
  promptTemplate,
  steps,
  triggerType,
  webhookSecret,
});

function checkPrompts(workflow: Pick<AgentWorkflow, 'promptTemplate' | 'steps'>): void {
  if (stepsOf(workflow).every(({ promptTemplate }) => promptTemplate.trim() !== '')) return;
  throw new AppError('unprocessable', 'A workflow needs a prompt_template that is not blank, or steps');
}

/** The agents that somebody may use; all unless given. What works with others as well is not there for them. */
export interface AgentBound {
  readonly allowedAgentIds?: readonly string[] | undefined;
}

/** Returns the agents that a workflow names: its own, and those of its steps. */
function agentsOf({ agentId, steps = [] }: Partial<Pick<AgentWorkflow, 'agentId' | 'steps'>>): string[] {
  return [agentId, ...steps.map((step) => step.agentId)].filter((id) => typeof id === 'string');
}

/** Returns whether somebody may use each agent of a workflow. */
function isVisible(workflow: Parameters<typeof agentsOf>[0], { allowedAgentIds }: AgentBound): boolean {
  return allowedAgentIds === undefined || agentsOf(workflow).every((id) => allowedAgentIds.includes(id));
}

const stepsFit = (row: string, list: string) => `not exists (
    select from jsonb_array_elements(${row}.steps) step where (step.value ->> 'agentId')::uuid <> all(${list}::uuid[])
  )`;

/** Returns the same as SQL. The parameter `list` contains the agents, null for all. */
export function workflowIsVisible(row: string, list: string): string {
  return `(${list}::uuid[] is null or (${row}.agent_id = any(${list}::uuid[]) and ${stepsFit(row, list)}))`;
}

/** Returns an SQL condition: that the agents of a run may be used, as its workflow was when it began and as it is. */
export function runIsVisible(row: string, list: string): string {
  return `(${list}::uuid[] is null or (${stepsFit(row, list)} and exists (
    select from agent_workflows w where w.id = ${row}.workflow_id and ${workflowIsVisible('w', list)}
  )))`;
}

/** The secrets by which workflows are triggered. */
export const workflowSecrets = new SecretColumn('agent-workflows', 'webhook-secret');
