import { Migration } from '@mikro-orm/migrations';

/** Orders memories as prompts show them, so that a turn reads no more of an agent's than it shows. */
export class Migration20261130MemoriesInPrompts extends Migration {
  override up(): void {
    this.addSql(PROMPT_INDEX);
  }
}

const PROMPT_INDEX = `
create index agent_memories_prompt on agent_memories (
  agent_id,
  (case type when 'instruction' then 0 when 'fact' then 1 when 'context' then 2 else 3 end),
  priority desc, created_at desc, id desc
) where not is_foreign and length(content) <= 4000;
`;
