-- How users authenticate. A connection that works for one organization sees neither passwords nor sessions, not even
-- those of its members.

create table user_passwords (
  user_id uuid primary key references users (id) on delete cascade,
  hash text not null,
  changed_at timestamptz not null default now()
);
call add_system_policy('user_passwords');

-- The link with which the user of a managed account sets a password: one for each account.
create table password_links (
  user_id uuid primary key references users (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  public_id text not null,
  secret_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- The link ends with its creator's right to make it.
  created_by uuid not null references users (id) on delete cascade
);
create unique index password_links_public_id on password_links (public_id);
create index password_links_org on password_links (org_id);
create index password_links_age on password_links (expires_at);
create index password_links_maker on password_links (created_by);
call add_tenant_policy('password_links');

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  generation int not null default 0,
  revoked_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- The session of a device reaches one organization, whatever else its user belongs to.
  bound_org_id uuid references orgs (id) on delete cascade,
  -- When its newest tokens were made: their predecessors stay valid for a short while after that.
  refreshed_at timestamptz not null default now(),
  browser_public_id text unique,
  browser_secret_hash bytea,
  refresh_key_id text,
  user_agent text,
  ip_address text,
  constraint sessions_browser_secret check ((browser_public_id is null) = (browser_secret_hash is null))
);
comment on column sessions.browser_public_id is
  'Finds the session of the cookie that holds its secret; null for all other sessions.';
comment on column sessions.refresh_key_id is
  'The id of the key of SECRET_KEY that has signed its newest refresh token; null for browsers and devices, which get none.';
comment on column sessions.user_agent is
  'What the client calls itself; null when it does not, for sessions of devices, and once the session has ended.';
comment on column sessions.ip_address is
  'Where the client was last; null for sessions of devices, and once the session has ended.';
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);
create index sessions_bound_org on sessions (bound_org_id) where bound_org_id is not null;
call add_system_policy('sessions');

-- The browsers that people are notified in, by the service of the browser's maker (RFC 8030).
create table push_subscriptions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  session_id uuid not null references sessions (id) on delete cascade,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  error text,
  created_at timestamptz not null default now()
);
comment on column push_subscriptions.session_id is
  'The sign-in of the browser: with it ends the subscription, so that nobody who uses the browser later is notified.';
comment on column push_subscriptions.endpoint is 'The URL that notifications are posted to.';
comment on column push_subscriptions.p256dh is 'The public key of the browser, in base64url.';
comment on column push_subscriptions.auth is 'The secret that the browser shares with those who encrypt for it.';
comment on column push_subscriptions.error is 'Why the last notification was not accepted; null if it was.';
create unique index push_subscriptions_session on push_subscriptions (session_id);
create unique index push_subscriptions_endpoint on push_subscriptions (endpoint);
create index push_subscriptions_user on push_subscriptions (user_id, id);
call add_system_policy('push_subscriptions');
-- Notifying members requires the list of their browsers.
create policy members on push_subscriptions for select
  using (exists (select from memberships m where m.user_id = push_subscriptions.user_id));

create function delete_push_subscription() returns trigger language plpgsql as $$
begin
  delete from push_subscriptions where session_id = new.id;
  return null;
end $$;
create trigger session_revoked after update of revoked_at on sessions
  for each row when (new.revoked_at is not null) execute function delete_push_subscription();

-- The addresses that accounts are used from: they are let in while other addresses are throttled for guessing. An
-- address is stored as a keyed digest of it and the account, so that a row does not reveal it.
create table known_addresses (
  user_id uuid not null references users (id) on delete cascade,
  digest bytea not null,
  last_used_at timestamptz not null default now(),
  primary key (user_id, digest)
);
create index known_addresses_age on known_addresses (last_used_at);
call add_system_policy('known_addresses');

-- The counters of rate-limiter-flexible, in its own format. They belong to no organization.
create table rate_limits (
  key varchar(255) primary key,
  points int not null default 0,
  expire bigint
);
