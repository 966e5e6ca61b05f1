import { Migration } from '@mikro-orm/migrations';

/** Notes what began each chat, so that those of people are found beside thousands that runs have begun. */
export class Migration20270218ChatOrigins extends Migration {
  override up(): void {
    this.addSql(`alter table chats add origin text not null default 'person'
      check (origin in ('person', 'program', 'workflow', 'schedule', 'issue'))`);
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(`update chats c set origin = case when r.schedule_id is null then 'workflow' else 'schedule' end
      from workflow_runs r where r.chat_id = c.id`);
    this.addSql("update chats c set origin = 'program' from completions p where p.chat_id = c.id");
    this.addSql("update chats c set origin = 'issue' from tasks k where k.chat_id = c.id and k.issue_id is not null");
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(`create index chats_of_origin on chats (org_id, user_id, origin, updated_at desc)
      where parent_chat_id is null and deleted_at is null`);
  }
}
