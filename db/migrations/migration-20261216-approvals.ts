import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Lets tool calls wait for a person's decision. */
export class Migration20261216Approvals extends Migration {
  override up(): void {
    this.addSql(APPROVALS);
    this.addSql(tenantPolicy('approvals'));
    this.addSql(SETTINGS);
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    // Agents that were made before go on without asking, since nobody expects their automations to wait.
    this.addSql(KEEP_RUNNING);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

const APPROVALS = `
create table approvals (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  turn_id uuid not null references turns (id) on delete cascade,
  root_turn_id uuid not null references turns (id) on delete cascade,
  call_id uuid not null unique references tool_calls (id) on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'expired', 'cancelled')),
  requested_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_by uuid references users (id) on delete set null,
  decided_at timestamptz,
  note text,
  edited_arguments jsonb,
  parameters jsonb
);
create index approvals_org on approvals (org_id, id);
create index approvals_pending on approvals (org_id, id) where status = 'pending';
create index approvals_chat on approvals (chat_id, id);
create index approvals_turn on approvals (turn_id);
create index approvals_root on approvals (root_turn_id);
create index approvals_due on approvals (expires_at) where status = 'pending';
create index approvals_decider on approvals (decided_by) where decided_by is not null;
comment on column approvals.root_turn_id is 'The turn at the root of the tree that the turn of the call belongs to.';
comment on column approvals.parameters is 'The JSON Schema by which edited arguments are checked, while it is pending.';
`;

const SETTINGS = `
alter table agents add column requires_approval jsonb not null default '{}';
alter table mcp_servers add column trusted boolean not null default false;
comment on column agents.requires_approval is 'When calls wait for a person: never, writes or always, by tool key or *.';
`;

const KEEP_RUNNING = `
update agents set requires_approval = (
    select jsonb_object_agg(key, 'never') from jsonb_array_elements_text(tools) as key where key in ('http_request', 'file_delete')
  )
where tools @> '["http_request"]' or tools @> '["file_delete"]'
`;
