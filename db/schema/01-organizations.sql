-- Organizations, users and memberships.

-- A deleted organization has no members any more, so nobody reaches it; its records are removed afterwards.
create table orgs (
  id uuid primary key,
  name text not null,
  icon text not null default '',
  color text not null default '',
  approvals_other_person boolean not null default false,
  approvals_sign_in boolean not null default false,
  approvals_quorum int not null default 1 check (approvals_quorum >= 1),
  approvals_reminder_minutes int,
  approvals_escalation_minutes int,
  approvals_escalation_role text not null default 'admin'
    check (approvals_escalation_role in ('member', 'admin', 'owner')),
  approvals_escalation_user_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on column orgs.approvals_other_person is
  'Whether nobody approves calls and steps that are made in their own name.';
comment on column orgs.approvals_sign_in is 'Whether those who follow the link of a mail decide signed in only.';
comment on column orgs.approvals_quorum is 'How many people have to approve a call or a step.';
comment on column orgs.approvals_reminder_minutes is
  'After how long those who have to decide are reminded; null when they are not.';
comment on column orgs.approvals_escalation_minutes is
  'After how long what nobody has decided about is escalated; null when it is not.';
comment on column orgs.approvals_escalation_role is
  'The role to whose holders, and those of higher ones, it is escalated where no member is named.';
comment on column orgs.approvals_escalation_user_id is 'The member to whom it is escalated, as long as they are one.';
create index orgs_deleted on orgs (deleted_at) where deleted_at is not null;
call add_tenant_policy('orgs', 'id');

-- Refuses to delete an organization in one statement, which would delete its audit log too.
create function refuse_sudden_deletion() returns trigger language plpgsql as $$
begin
  if old.deleted_at is null then
    raise exception 'an organization is deleted in two steps' using errcode = 'insufficient_privilege';
  end if;
  return old;
end $$;
create trigger orgs_are_marked_first before delete on orgs for each row execute function refuse_sudden_deletion();

-- Organizations whose records are gone, as long as files of theirs may be left: the workflow that removes both can be lost
-- between the two.
create table purged_orgs (
  id uuid primary key,
  purged_at timestamptz not null default now()
);
call add_system_policy('purged_orgs');

-- A user may be a member of several organizations; so the table belongs to none, and has no policy.
create table users (
  id uuid primary key,
  email text not null,
  full_name text not null default '',
  is_managed boolean not null default false,
  active_org_id uuid constraint users_active_org references orgs (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  managed_org_id uuid references orgs (id) on delete set null,
  -- Statements must read beyond their own organization only for users who may be in several. The number never falls:
  -- the turns of a user who has left an organization may still run there.
  orgs_joined int not null default 0,
  -- When the user deleted the account: work in flight for it comes too late.
  deleted_at timestamptz,
  -- Whether they get mails about pending approvals.
  mail_notifications boolean not null default false,
  -- Whether a channel notifies them of pending approvals.
  slack_notifications boolean not null default false
);
create unique index users_email on users (email);
create index users_active_org on users (active_org_id);
create index users_managed_org on users (managed_org_id) where managed_org_id is not null;

create table memberships (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  -- Changes with every change of a group that decides about the member's rights.
  policy_version uuid not null default gen_random_uuid(),
  -- The address of their invite; null where the administrator named none.
  invited_email text,
  primary key (org_id, user_id)
);
create index memberships_user on memberships (user_id);
create unique index memberships_owner on memberships (org_id) where role = 'owner';
alter table orgs add constraint orgs_escalation_member foreign key (id, approvals_escalation_user_id)
  references memberships (org_id, user_id) on delete set null (approvals_escalation_user_id);
call add_tenant_policy('memberships');

create function count_joined_org() returns trigger language plpgsql as $$
begin
  update users set orgs_joined = orgs_joined + 1 where id = new.user_id;
  return null;
end $$;
create trigger memberships_are_counted after insert on memberships
  for each row execute function count_joined_org();
