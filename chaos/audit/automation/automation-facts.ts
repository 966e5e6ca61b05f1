import type { TestStack } from '../../../test/support/test-stack.ts';

/** A stored run. Times are milliseconds since the epoch. */
export interface RunFact {
  readonly id: string;
  readonly workflowId: string | null;
  readonly scheduleId: string | null;
  readonly deliveryKey: string | null;
  readonly slot: number | null;
  readonly status: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly wasAskedToStop: boolean;
  readonly createdAt: number;
  readonly completedAt: number | null;
  /** The questions of its turns, step by step and try by try. */
  readonly questions: readonly string[];
}

/** A stored decision about a step. */
export interface ApprovalFact {
  readonly id: string;
  readonly runId: string;
  readonly status: string;
}

/** A message to the outside, as it is stored; in the order in which its address is to be told. */
export interface DeliveryFact {
  readonly id: string;
  readonly targetId: string;
  readonly runId: string;
  readonly status: string;
  readonly seq: number;
}

/** All that is stored of the automation of an organization. */
export interface AutomationFacts {
  readonly runs: readonly RunFact[];
  readonly approvals: readonly ApprovalFact[];
  readonly deliveries: readonly DeliveryFact[];
}

/** Reads the record of automation. */
export async function readAutomationFacts(stack: TestStack): Promise<AutomationFacts> {
  return {
    runs: await stack.query<RunFact>(RUNS),
    approvals: await stack.query<ApprovalFact>(
      'select id, run_id as "runId", status from approvals where run_id is not null',
    ),
    deliveries: await stack.query<DeliveryFact>(
      `select id, target_id as "targetId", run_id as "runId", status, seq::float8 as seq
        from webhook_deliveries where run_id is not null order by seq`,
    ),
  };
}

const RUNS = `
  select r.id, r.workflow_id as "workflowId", r.schedule_id as "scheduleId", r.delivery_key as "deliveryKey", r.status, r.output, r.error,
    r.interrupt_requested_at is not null as "wasAskedToStop", (extract(epoch from r.slot) * 1000)::float8 as slot,
    (extract(epoch from r.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from r.completed_at) * 1000)::float8 as "completedAt",
    coalesce((select json_agg(m.content order by t.run_step, t.run_attempt) from turns t
      join messages m on m.turn_id = t.id and m.role = 'user' where t.run_id = r.id), '[]') as questions
  from workflow_runs r order by r.id`;
