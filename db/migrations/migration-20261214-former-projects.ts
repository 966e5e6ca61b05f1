import { Migration } from '@mikro-orm/migrations';

/** Keeps which chats belonged to a deleted project, so that they come back to it when it is restored. */
export class Migration20261214FormerProjects extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table chats
  add column former_project_id uuid references projects (id) on delete set null,
  add column left_project_at timestamptz;
create index chats_former_project on chats (former_project_id) where former_project_id is not null;
comment on column chats.former_project_id is 'The deleted project to which it belonged, and comes back when that is restored.';
`);
  }
}
