import { Migration } from '@mikro-orm/migrations';

/** Keeps with each issue of a code host in which repository it is: numbers are unique within one only. */
export class Migration20261217RepositoriesOfIssues extends Migration {
  override up(): void {
    this.addSql("alter table remote_issues add column repo_id text not null default ''");
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(REPOSITORIES);
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(INDEXES);
  }
}

// An issue of another repository that the project had before has another address. One whose address says nothing gets
// its repository when its host tells of it next.
const REPOSITORIES = /* sql */ `
update remote_issues r set repo_id = m.repo_id from sync_marks m
  where m.project_id = r.project_id and m.host = r.host
    and starts_with(lower(r.url), lower(regexp_replace(m.repo_url, '(\\.git)?/*$', '')) || '/')`;

const INDEXES = /* sql */ `
alter table remote_issues alter column repo_id drop default;
drop index remote_issues_number;
create index remote_issues_number on remote_issues (project_id, host, repo_id, number);
drop index remote_issues_comments_due;
create index remote_issues_comments_due on remote_issues (project_id, host, repo_id, number) where comments_due;
comment on column remote_issues.repo_id is
  'The id of the repository at its host; empty when it is not known: until the host tells of the issue again.';
`;
