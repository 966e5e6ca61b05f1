import { Migration } from '@mikro-orm/migrations';

/** Lets a call wait for a service that asks to be left alone for a while. */
export class Migration20270204CallsSetAside extends Migration {
  override up(): void {
    this.addSql('alter table tool_calls add column not_before timestamptz');
    this.addSql(
      "comment on column tool_calls.not_before is 'When it may be begun again: its service asked to wait. Null when it need not wait.'",
    );
  }
}
