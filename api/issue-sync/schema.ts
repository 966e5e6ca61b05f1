import { z } from 'zod';
import { SYNC_STATUSES } from '../../domain/issue-sync/index.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, timestamp } from '../http/fields.ts';

export const syncSchema = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    user_id: z.uuid().nullable().meta({ description: 'Who asked for it; null when the account is gone' }),
    status: z
      .enum(SYNC_STATUSES)
      .meta({ description: '`waiting`: the code host has failed, or asks to wait, until `waiting_until`' }),
    created: z.int().meta({ description: 'Issues that were added here' }),
    updated: z.int().meta({ description: 'Issues that were changed here' }),
    total: z.int().meta({ description: 'The issues of the code host that are known here' }),
    comments: z.int().meta({ description: 'Comments that were added or changed here' }),
    skipped: z
      .int()
      .meta({ description: 'Issues and comments that were left out because they, or their numbers, are too large' }),
    error: z.string().nullable().meta({ description: 'Why it has failed, or waits' }),
    waiting_until: timestamp.nullable(),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({
    id: 'IssueSync',
    examples: [
      {
        id: EXAMPLE_ID,
        project_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        status: 'completed',
        created: 12,
        updated: 3,
        total: 480,
        comments: 31,
        skipped: 0,
        error: null,
        waiting_until: null,
        started_at: EXAMPLE_TIME,
        completed_at: EXAMPLE_TIME,
        created_at: EXAMPLE_TIME,
      },
    ],
  });
