import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds the tries of custom tools: a row holds the arguments and the outcome while somebody waits for it. */
export class Migration20261124CustomTools extends Migration {
  override up(): void {
    this.addSql(TOOL_TRIALS);
    this.addSql(tenantPolicy('tool_trials'));
  }
}

const TOOL_TRIALS = `
create table tool_trials (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  tool_key text not null,
  arguments jsonb not null,
  begun_at timestamptz,
  outcome jsonb,
  created_at timestamptz not null default now()
);
create index tool_trials_org on tool_trials (org_id);
create index tool_trials_user on tool_trials (user_id);
create index tool_trials_age on tool_trials (created_at);
`;
