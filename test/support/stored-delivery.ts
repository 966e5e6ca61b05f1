import { v7 as uuidv7 } from 'uuid';
import type { TestApi } from './test-api.ts';

/** Whose webhook has delivered what. */
interface StoredDelivery {
  readonly orgId: string;
  readonly userId: string;
  readonly owner:
    | { readonly chat_id: string }
    | { readonly workflow_id: string }
    | { readonly schedule_id: string }
    | { readonly destination_id: string };
  /** The columns that say what it is of; a report of a turn also has those of its chat or task. */
  readonly subject: Readonly<Partial<Record<'message_id' | 'run_id' | 'chat_id' | 'task_id', string>>>;
}

/** Stores a webhook and a delivery that was given up, which no worker looks at; answers the id of the delivery. */
export async function storeDelivery(
  { database: { system } }: Pick<TestApi, 'database'>,
  { orgId, userId, owner, subject }: StoredDelivery,
): Promise<string> {
  const [[ownerColumn, ownerId] = []] = Object.entries(owner);
  const columns = Object.keys(subject);
  const values = columns.map((_, at) => `$${at + 8}`);
  const id = uuidv7();
  const report =
    'destination_id' in owner
      ? { userId, subject: null, body: null, files: [], undelivered: null, missed: null }
      : null;
  await system.query(
    `with target as (
        insert into webhook_targets (id, org_id, user_id, url, ${ownerColumn}) values ($1, $2, $3, $4, $5)
        on conflict (${ownerColumn}) where ${ownerColumn} is not null do update set url = excluded.url returning id
      )
      insert into webhook_deliveries (id, org_id, target_id, status, report, ${columns.join(', ')})
      select $6, $2, id, 'failed', $7, ${values.join(', ')} from target`,
    [uuidv7(), orgId, userId, 'https://hooks.example.com/sample', ownerId, id, report, ...Object.values(subject)],
  );
  return id;
}
