import type { z } from 'zod';
import type { ShownProject } from '../../db/projects/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { permits } from '../../domain/permissions/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { projectSchema } from './schema.ts';

/** Returns a project as the API shows it, with those of its agents that the caller may use. */
export function presentProject(
  { policy }: OrgCaller,
  project: ShownProject,
  { publicUrl }: Pick<ApiContext, 'publicUrl'>,
): z.input<typeof projectSchema> {
  const { id, repoType } = project;
  return present(projectSchema, project, {
    webhookUrl: repoType === '' ? null : `${publicUrl}/api/integrations/${repoType}/webhook/${id}`,
    agentIds: project.agentIds.filter((agentId) => permits(policy, 'agentIds', agentId)),
  });
}
