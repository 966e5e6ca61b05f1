import { Migration } from '@mikro-orm/migrations';
import { systemPolicy } from './system-policy.ts';

const OF_ORG = `(org_id = nullif(current_setting('app.org_id', true), '')::uuid
    or current_setting('app.scope', true) = 'system')`;

// The word that no message holds: its negation is found in all.
const EVERYTHING = `'!everything'::tsquery`;

/**
 * Adds the words of messages, to be searched. Workers fill the table after the messages are stored. Its policy shows an
 * organization its own rows, and while `app.search` is set only those that match it. That is how a search reads its
 * rows by the index: PostgreSQL applies the conditions of a policy before those of a statement, unless their operator
 * is known to leak nothing, which is not said of the one that matches texts.
 */
export class Migration20261127Search extends Migration {
  override up(): void {
    this.addSql(TABLES);
    this.addSql(/* sql */ `
alter table message_words enable row level security;
alter table message_words force row level security;
create policy tenant on message_words
  using (${OF_ORG} and words @@ coalesce(nullif(current_setting('app.search', true), '')::tsquery, ${EVERYTHING}))
  with check (${OF_ORG});
alter table word_owners enable row level security;
alter table word_owners force row level security;
create policy tenant on word_owners using (${OF_ORG}) with check (${OF_ORG});
`);
    this.addSql(systemPolicy('search_progress'));
  }
}

// Without a list of pending entries, which each search would have to read: no request waits for an entry, only a
// worker.
const TABLES = /* sql */ `
create table message_words (
  message_id uuid primary key references messages (id) on delete cascade,
  org_id uuid not null,
  user_id uuid not null,
  chat_id uuid not null,
  segment int not null,
  created_at timestamptz not null,
  words tsvector not null
);
create index message_words_words on message_words using gin (words) with (fastupdate = off);
comment on column message_words.segment is 'Counts the thousands of messages of the user, in the order in which they were entered.';
comment on column message_words.words is 'Each word begins with a key of user and segment, so that a search reads entries of these alone.';

create table word_owners (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  messages bigint not null,
  primary key (org_id, user_id)
);
create index word_owners_user on word_owners (user_id);
comment on table word_owners is 'How many messages of a user the search knows.';

create table search_progress (
  is_one boolean primary key default true check (is_one),
  entered_until timestamptz not null
);
insert into search_progress (entered_until) values ('2020-01-01');
`;
