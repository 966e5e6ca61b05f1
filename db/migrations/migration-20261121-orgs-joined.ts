import { Migration } from '@mikro-orm/migrations';

/** Marks users who may be in several organizations: only for them must a statement look beyond their organization. */
export class Migration20261121OrgsJoined extends Migration {
  override up(): void {
    this.addSql(ORGS_JOINED);
  }
}

// users.orgs_joined never falls: the turns of a user who has left an organization may still run there.
const ORGS_JOINED = `
alter table users add column orgs_joined int not null default 0;
update users u set orgs_joined = (select count(*) from memberships m where m.user_id = u.id);

create function count_joined_org() returns trigger language plpgsql as $$
begin
  update users set orgs_joined = orgs_joined + 1 where id = new.user_id;
  return null;
end $$;
create trigger memberships_are_counted after insert on memberships
  for each row execute function count_joined_org();
`;
