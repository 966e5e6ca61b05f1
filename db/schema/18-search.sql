-- The words of messages, to be searched. Workers enter them after the messages are stored. The indexes have no list of
-- pending entries, which each search would have to read: no request waits for an entry, only a worker.

create table message_words (
  message_id uuid primary key references messages (id) on delete cascade,
  org_id uuid not null,
  user_id uuid not null,
  chat_id uuid not null,
  segment int not null,
  created_at timestamptz not null,
  words tsvector not null
);
comment on column message_words.segment is
  'Counts the thousands of messages of the user, in the order in which they were entered.';
comment on column message_words.words is
  'Each word begins with a key of user and segment, so that a search reads entries of these alone.';
create index message_words_words on message_words using gin (words) with (fastupdate = off);
call add_search_policy('message_words');

create table word_owners (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  messages bigint not null,
  primary key (org_id, user_id)
);
comment on table word_owners is 'How many messages of a user the search knows.';
create index word_owners_user on word_owners (user_id);
call add_tenant_policy('word_owners');

-- The same of messages in chats of projects, which members search beside their own.
create table shared_message_words (
  message_id uuid primary key references messages (id) on delete cascade,
  org_id uuid not null,
  chat_id uuid not null,
  segment int not null,
  created_at timestamptz not null,
  words tsvector not null
);
comment on column shared_message_words.segment is
  'Counts the thousands of such messages of the organization, in the order in which they were entered.';
comment on column shared_message_words.words is 'Each word begins with a key of organization and segment.';
create index shared_message_words_words on shared_message_words using gin (words) with (fastupdate = off);
call add_search_policy('shared_message_words');

create table shared_word_owners (
  org_id uuid primary key references orgs (id) on delete cascade,
  messages bigint not null
);
comment on table shared_word_owners is 'How many messages in chats of projects the search knows.';
call add_tenant_policy('shared_word_owners');

-- How far messages are entered.
create table search_progress (
  is_one boolean primary key default true check (is_one),
  entered_until timestamptz not null
);
insert into search_progress (entered_until) values ('2020-01-01');
call add_system_policy('search_progress');

-- A change is a row of its own, so that changing a message never waits for a worker. The message may be gone.
create table changed_messages (
  seq bigint generated always as identity primary key,
  org_id uuid not null,
  message_id uuid not null
);
comment on table changed_messages is
  'Messages whose text has changed since the search knows them; a worker empties it.';
call add_tenant_policy('changed_messages');
