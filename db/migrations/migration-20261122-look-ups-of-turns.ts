import { Migration } from '@mikro-orm/migrations';

/** Leaves one index that serves to find the open turns of a chat. */
export class Migration20261122LookUpsOfTurns extends Migration {
  override up(): void {
    this.addSql(DUE);
  }
}

// Sub-agents are woken by the turn above them. While few turns are open, all indexes on them look equally cheap, and a
// plan made then would read every open turn to find those of one chat; so this index holds different turns.
const DUE = `
drop index turns_due;
create index turns_due on turns (next_wake_at) where status in ('queued', 'running') and parent_turn_id is null;
`;
