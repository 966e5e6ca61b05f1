import { Migration } from '@mikro-orm/migrations';

/** Notes since when issues and comments of a code host are in step with none here, so that they can be forgotten. */
export class Migration20270105GoneIssues extends Migration {
  override up(): void {
    this.addSql(COLUMNS);
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql('update remote_issues set gone_at = now() where issue_id is null');
    this.addSql('update remote_comments set gone_at = now() where comment_id is null');
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(TRIGGERS);
  }
}

const COLUMNS = /* sql */ `
alter table remote_issues add column gone_at timestamptz;
alter table remote_comments add column gone_at timestamptz;
create index remote_issues_gone on remote_issues (gone_at) where gone_at is not null;
create index remote_comments_gone on remote_comments (gone_at) where gone_at is not null;
comment on column remote_issues.gone_at is 'Since when it is in step with no issue here.';
comment on column remote_comments.gone_at is 'Since when it is in step with no comment here.';
`;

// The rows lose what they refer to when that is deleted, whoever does it.
const TRIGGERS = /* sql */ `
create function note_gone() returns trigger language plpgsql as $$
begin
  new.gone_at = now();
  return new;
end $$;
create trigger gone_issues before insert or update of issue_id on remote_issues
  for each row when (new.issue_id is null and new.gone_at is null) execute function note_gone();
create trigger gone_comments before insert or update of comment_id on remote_comments
  for each row when (new.comment_id is null and new.gone_at is null) execute function note_gone();
`;
