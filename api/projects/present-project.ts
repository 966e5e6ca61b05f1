import type { z } from 'zod';
import type { ShownProject } from '../../db/projects/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { permits } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { projectSchema } from './schema.ts';

/** Returns a project as the API shows it, with those of its agents that the caller may use. */
export function presentProject({ policy }: OrgCaller, project: ShownProject): z.input<typeof projectSchema> {
  return present(projectSchema, project, {
    agentIds: project.agentIds.filter((id) => permits(policy, 'agentIds', id)),
  });
}
