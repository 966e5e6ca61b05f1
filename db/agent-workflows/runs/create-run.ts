import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { orgLimitReached, type OrgLimits } from '../../../domain/orgs.ts';
import type { RunTrigger, RunWork } from '../../../domain/agent-workflows.ts';
import { CHAT_OF_RUN_INSERT } from '../../chats/list-chats.ts';
import { hasRoomForChat, hasRoomForMessages, recountChats } from '../../chats/usage.ts';
import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { isUniqueViolation } from '../../core/unavailable.ts';
import { totalOfOwner } from '../../orgs/require-room.ts';

/** A run as it is triggered. */
export interface NewRun extends RunWork {
  readonly workflowId: string;
  /** In whose name it runs. */
  readonly userId: string;
  readonly triggeredBy: RunTrigger;
  /** The sender's key: a second run of the same workflow with this key is not created. */
  readonly deliveryKey: string | undefined;
  /** The signature of its request: a second run of the same workflow with this signature is not created. */
  readonly signature?: Buffer | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The title of its conversation. */
  readonly title: string;
}

/** A run that was stored, now or by an earlier request with its key or signature. */
export interface CreatedRun {
  readonly runId: string;
  readonly isNew: boolean;
}

/** The limits of an organization that a run counts for. */
export type RunLimits = Pick<OrgLimits, 'chats' | 'messageBytes' | 'workBytes'>;

/** Runs of one workflow that have not ended; further ones are rejected until some have. */
export const MAX_OPEN_RUNS = 1_000;

/**
 * Stores a run with its conversation, in one statement: when this has returned, neither is lost. It waits in the queue
 * of its workflow if that has one. `not_found` for an unknown workflow, and for the webhook of one that takes none;
 * `conflict` and `limit_reached` when there is no room.
 */
export async function createRun(
  database: Database,
  orgId: string,
  run: NewRun,
  limits: RunLimits,
): Promise<CreatedRun> {
  const first = await insertRun(database, orgId, run, limits);
  if (first !== undefined) return { runId: first, isNew: true };
  const error = await rejectionOf(database, orgId, run, limits);
  if (!(error instanceof AppError)) return { runId: error, isNew: false };
  if (error.code !== 'conflict') throw error;
  // The counted number of chats may be older than some deletions.
  await recountChats(database, orgId);
  const second = await insertRun(database, orgId, run, limits);
  if (second === undefined) throw error;
  return { runId: second, isNew: true };
}

/** Returns the run of a workflow or a schedule that its sender has called so; undefined when there is none. */
export async function findRunByKey(
  em: EntityManager,
  of: { readonly kind: 'workflow' | 'schedule'; readonly id: string },
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const [run] = await em.execute<{ id: string }[]>(
    `select id from workflow_runs where ${of.kind}_id = ? and delivery_key = ?`,
    [of.id, key],
  );
  return run?.id;
}

async function insertRun(
  { tenant }: Database,
  orgId: string,
  run: NewRun,
  limits: RunLimits,
): Promise<string | undefined> {
  try {
    const [created] = await tenant.query(orgId, insertion(orgId, run, limits));
    return created?.id;
  } catch (error) {
    // The same request came twice at the same instant; the other one is stored now.
    if (!isUniqueViolation(error)) throw error;
    return undefined;
  }
}

const MAY_RUN = `exists (select from memberships m where m.org_id = w.org_id and m.user_id = $4)
  and ($5 <> 'webhook' or w.is_active)`;
/** How many signatures of one run are kept: a repeated request is signed again each time. */
const MAX_SIGNATURES = 100;
const knownBy = (signature: string) => `coalesce(
    (select s.run_id from run_signatures s where s.workflow_id = $2 and s.signature = ${signature}),
    (select r.id from workflow_runs r where r.workflow_id = $2 and r.delivery_key = $6)
  )`;
const IS_FULL = `(select count(*) from (
    select from workflow_runs r where r.workflow_id = $2 and r.completed_at is null limit ${MAX_OPEN_RUNS}
  ) open) >= ${MAX_OPEN_RUNS}`;

function insertion(orgId: string, run: NewRun, limits: RunLimits): Statement<{ readonly id: string }> {
  return {
    name: 'create-run',
    text: `with workflow as (
        select w.max_concurrent_runs, w.time_limit_minutes from agent_workflows w
        where w.id = $2 and ${MAY_RUN} and ${knownBy('$17')} is null and not ${IS_FULL}
          and ${hasRoomForChat('$1', '$14')} and ${hasRoomForMessages('$1', '$15')}
          and ${totalOfOwner('$1', 'work_bytes')} < $16::bigint
      ),
      chat as (
        ${CHAT_OF_RUN_INSERT} select $7, $1, $4, $8, $9, $5 <> 'manual', 'workflow' from workflow returning id
      ),
      run as (
        insert into workflow_runs (id, org_id, workflow_id, chat_id, user_id, triggered_by, delivery_key, status, variables,
          missing_variables, steps, time_limit_minutes, prompt)
        select $3, $1, $2, chat.id, $4, $5, $6,
          case when workflow.max_concurrent_runs is null then 'running' else 'queued' end, $10, $11, $12,
          workflow.time_limit_minutes, $13
        from workflow, chat returning id
      ),
      signed as (
        insert into run_signatures (workflow_id, signature, run_id, org_id)
        select $2, $17::bytea, run.id, $1 from run where $17::bytea is not null
      )
      select id from run`,
    values: [
      orgId,
      run.workflowId,
      uuidv7(),
      run.userId,
      run.triggeredBy,
      run.deliveryKey ?? null,
      uuidv7(),
      run.agentId,
      run.title,
      JSON.stringify(run.variables),
      JSON.stringify(run.missingVariables),
      JSON.stringify(run.steps),
      run.prompt,
      limits.chats,
      limits.messageBytes,
      limits.workBytes,
      run.signature ?? null,
    ],
  };
}

// Nothing was stored: the run exists already, or was rejected. The signatures identify a repetition that was signed
// again.
async function rejectionOf(
  { tenant }: Database,
  orgId: string,
  run: NewRun,
  limits: RunLimits,
): Promise<AppError | string> {
  const [found] = await tenant.query<{
    runId: string | null;
    mayRun: boolean;
    isFull: boolean;
    hasBytes: boolean;
    workIsFull: boolean;
  }>(orgId, {
    name: 'rejected-run',
    text: `with known as (select ${knownBy('$8')} as id),
      signed as (
        insert into run_signatures (workflow_id, signature, run_id, org_id)
        select $2, $8::bytea, known.id, $1 from known
        where known.id is not null and $8::bytea is not null
          and (select count(*) from run_signatures s where s.run_id = known.id) < ${MAX_SIGNATURES}
        on conflict do nothing
      )
      select known.id as "runId", ${MAY_RUN} as "mayRun", ${IS_FULL} as "isFull",
        ${hasRoomForMessages('$1', '$3')} as "hasBytes", ${totalOfOwner('$1', 'work_bytes')} >= $7::bigint as "workIsFull"
      from agent_workflows w, known where w.id = $2 and w.org_id = $1`,
    values: [
      orgId,
      run.workflowId,
      limits.messageBytes,
      run.userId,
      run.triggeredBy,
      run.deliveryKey ?? null,
      limits.workBytes,
      run.signature ?? null,
    ],
  });
  if (found === undefined || !found.mayRun) return notFound('Workflow');
  if (found.runId !== null) return found.runId;
  if (found.isFull)
    return new AppError(
      'limit_reached',
      `The workflow has ${MAX_OPEN_RUNS} runs that have not ended; try again later`,
      {
        retryAfterSeconds: 30,
      },
    );
  if (!found.hasBytes) return orgLimitReached('messageBytes', limits);
  if (found.workIsFull) return orgLimitReached('workBytes', limits);
  return orgLimitReached('chats', limits);
}
