import { Migration } from '@mikro-orm/migrations';

/** Adds what is kept of the attempts at a step, and of the calls of models that they have made. */
export class Migration20270214Traces extends Migration {
  override up(): void {
    this.addSql(TRACES);
  }
}

const TRACES = `
alter table turns add column trace jsonb not null default '[]';
alter table model_steps add column trace jsonb not null default '[]';
comment on column turns.trace is 'The attempts at the current step, in order: a list of AttemptRecord.';
comment on column model_steps.trace is 'The attempts at a step that was stored, the last of which made its reply.';
`;
