import { Migration } from '@mikro-orm/migrations';

/** Lets schedules tell an address of their runs, too. */
export class Migration20261231WebhooksOfSchedules extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table webhook_targets
  add column schedule_id uuid references schedules (id) on delete cascade,
  drop constraint webhook_targets_owner,
  add constraint webhook_targets_owner check (num_nonnulls(chat_id, workflow_id, schedule_id) = 1);
create unique index webhook_targets_schedule on webhook_targets (schedule_id) where schedule_id is not null;
comment on table webhook_targets is
  'Addresses that are told of the messages of a chat, or the ended runs of a workflow or a schedule.';
`);
  }
}
