import { Migration } from '@mikro-orm/migrations';

const OF_ORG = `(org_id = nullif(current_setting('app.org_id', true), '')::uuid
    or current_setting('app.scope', true) = 'system')`;

const EVERYTHING = `'!everything'::tsquery`;

/**
 * Adds the words of messages in chats of projects, which members search beside their own. The policy of the table is
 * that of `message_words`, for the same reason.
 */
export class Migration20261206SharedChats extends Migration {
  override up(): void {
    this.addSql(TABLES);
    this.addSql(/* sql */ `
alter table shared_message_words enable row level security;
alter table shared_message_words force row level security;
create policy tenant on shared_message_words
  using (${OF_ORG} and words @@ coalesce(nullif(current_setting('app.search', true), '')::tsquery, ${EVERYTHING}))
  with check (${OF_ORG});
alter table shared_word_owners enable row level security;
alter table shared_word_owners force row level security;
create policy tenant on shared_word_owners using (${OF_ORG}) with check (${OF_ORG});
`);
  }
}

const TABLES = /* sql */ `
create table shared_message_words (
  message_id uuid primary key references messages (id) on delete cascade,
  org_id uuid not null,
  chat_id uuid not null,
  segment int not null,
  created_at timestamptz not null,
  words tsvector not null
);
create index shared_message_words_words on shared_message_words using gin (words) with (fastupdate = off);
comment on column shared_message_words.segment is 'Counts the thousands of such messages of the organization, in the order in which they were entered.';
comment on column shared_message_words.words is 'Each word begins with a key of organization and segment.';

create table shared_word_owners (
  org_id uuid primary key references orgs (id) on delete cascade,
  messages bigint not null
);
comment on table shared_word_owners is 'How many messages in chats of projects the search knows.';
`;
