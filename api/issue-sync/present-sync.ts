import type { z } from 'zod';
import type { ProjectSync } from '../../db/issue-sync/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { syncSchema } from './schema.ts';

/** Returns a sync as the API shows it. */
export function presentSync(sync: ProjectSync): z.input<typeof syncSchema> {
  return present(syncSchema, sync, { total: sync.knownIssues });
}
