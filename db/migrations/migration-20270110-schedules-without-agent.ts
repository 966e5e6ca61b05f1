import { Migration } from '@mikro-orm/migrations';

/** Lets a schedule be stored before it is said which agent it is for. It starts no runs until then. */
export class Migration20270110SchedulesWithoutAgent extends Migration {
  override up(): void {
    this.addSql(/* sql */ `
alter table schedules alter column agent_id drop not null,
  add constraint schedules_agent_at_work check (agent_id is not null or not is_active)`);
    this.addSql("comment on column schedules.agent_id is 'Null while nobody has said which: then it starts no runs.'");
  }
}
