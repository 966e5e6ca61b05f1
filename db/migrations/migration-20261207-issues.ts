import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

const OF_ORG = `(org_id = nullif(current_setting('app.org_id', true), '')::uuid
    or current_setting('app.scope', true) = 'system')`;

/**
 * Adds the issues of projects, their labels, their comments, and their words, to be searched. Labels are rows and words
 * have the policy of `message_words`, because row-level security keeps PostgreSQL from reading arrays and texts by an
 * index.
 */
export class Migration20261207Issues extends Migration {
  override up(): void {
    this.addSql(TABLES);
    for (const table of ['issues', 'issue_labels', 'issue_comments']) this.addSql(tenantPolicy(table));
    this.addSql(/* sql */ `
alter table issue_words enable row level security;
alter table issue_words force row level security;
create policy tenant on issue_words
  using (${OF_ORG} and words @@ coalesce(nullif(current_setting('app.search', true), '')::tsquery, '!everything'::tsquery))
  with check (${OF_ORG});
`);
  }
}

const TABLES = /* sql */ `
create table issues (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  project_id uuid not null references projects (id) on delete cascade,
  number int not null,
  title text not null,
  description text not null,
  status text not null default 'backlog'
    check (status in ('backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled')),
  priority text not null check (priority in ('low', 'medium', 'high', 'urgent')),
  labels jsonb not null,
  assigned_agent_id uuid references agents (id) on delete set null,
  assigned_user_id uuid references users (id) on delete set null,
  user_id uuid references users (id) on delete set null,
  agent_id uuid references agents (id) on delete set null,
  is_foreign boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index issues_number on issues (project_id, number);
create index issues_project on issues (project_id, id);
create index issues_status on issues (project_id, status, id);
create index issues_org on issues (org_id, id);
create index issues_assigned_agent on issues (assigned_agent_id, id);
create index issues_assigned_user on issues (assigned_user_id, id);
create index issues_user on issues (user_id);
create index issues_agent on issues (agent_id);
comment on column issues.user_id is 'Who added it, or for whom the agent did.';
comment on column issues.is_foreign is 'Written where text from outside had been read, and so may repeat it.';

create table issue_labels (
  issue_id uuid not null references issues (id) on delete cascade,
  label text not null,
  org_id uuid not null references orgs (id) on delete cascade,
  primary key (issue_id, label)
);
create index issue_labels_label on issue_labels (org_id, label, issue_id);

create table issue_comments (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  issue_id uuid not null references issues (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  agent_id uuid references agents (id) on delete set null,
  content text not null,
  is_foreign boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index issue_comments_issue on issue_comments (issue_id, id);
create index issue_comments_org on issue_comments (org_id);
create index issue_comments_user on issue_comments (user_id);
create index issue_comments_agent on issue_comments (agent_id);

create table issue_words (
  issue_id uuid primary key references issues (id) on delete cascade,
  org_id uuid not null,
  words tsvector not null
);
create index issue_words_words on issue_words using gin (words) with (fastupdate = off);
comment on column issue_words.words is 'Each word begins with a key of the organization.';
`;
