-- The workers and the features that each lacks, so that the api can say which tools are available.

create table workers (
  id uuid primary key,
  seen_at timestamptz not null,
  lacks jsonb not null,
  workspace_free_bytes bigint,
  workflows text not null default ''
);
comment on column workers.seen_at is 'A worker that was not seen for a minute is gone.';
comment on column workers.workspace_free_bytes is
  'What is free on the disk of its workspaces; null when that could not be read.';
comment on column workers.lacks is 'Why, for each facility that it lacks.';
comment on column workers.workflows is 'The fingerprint of its workflow code; empty until it is known.';
call add_system_policy('workers');
