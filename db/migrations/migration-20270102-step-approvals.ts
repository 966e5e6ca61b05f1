import { Migration } from '@mikro-orm/migrations';

/** Lets steps of workflows wait for a person's decision. */
export class Migration20270102StepApprovals extends Migration {
  override up(): void {
    this.addSql(APPROVALS);
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(STEPS);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

const APPROVALS = `
alter table approvals
  alter column turn_id drop not null,
  alter column root_turn_id drop not null,
  alter column call_id drop not null,
  add column run_id uuid references workflow_runs (id) on delete cascade,
  add column run_step smallint,
  add column agent_id uuid references agents (id) on delete cascade,
  add column prompt text,
  add constraint approvals_subject check (
    num_nonnulls(turn_id, root_turn_id, call_id) = 3 and num_nonnulls(run_id, run_step, agent_id, prompt) = 0
    or num_nonnulls(turn_id, root_turn_id, call_id) = 0 and num_nonnulls(run_id, run_step, agent_id, prompt) = 4
  );
create unique index approvals_run on approvals (run_id, run_step) where run_id is not null;
create index approvals_run_chat on approvals (chat_id, id) where run_id is not null;
create index approvals_agent on approvals (agent_id) where agent_id is not null;
comment on column approvals.run_id is 'The run whose step waits; null for a call of a tool.';
comment on column approvals.agent_id is 'The agent of the step; null for a call, which is made by the agent of the chat.';
comment on column approvals.prompt is 'What is sent when the step is approved.';
`;

const STEPS = `
update agent_workflows set steps = (
    select jsonb_agg(step.value || '{"approval": false}' order by step.place)
    from jsonb_array_elements(steps) with ordinality as step (value, place)
  ) where steps <> '[]'
`;
