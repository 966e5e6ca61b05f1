import { z } from 'zod';
import { EXAMPLE_TIME, timestamp } from '../http/fields.ts';

export const workspaceEntrySchema = z
  .object({
    path: z.string().meta({ description: 'Relative to the workspace; it may hold anything that a name can' }),
    type: z.enum(['file', 'folder', 'link']).meta({ description: 'A link leads nowhere: it is not followed' }),
    size: z.int().meta({ description: 'In bytes; 0 for a folder and a link' }),
    modified_at: timestamp,
  })
  .meta({
    id: 'WorkspaceEntry',
    examples: [{ path: 'reports/2026-11.csv', type: 'file', size: 48_213, modified_at: EXAMPLE_TIME }],
  });
