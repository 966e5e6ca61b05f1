import type { ReactNode } from 'react';
import { Badge } from '../ui/page/page.tsx';
import type { Project } from './queries.ts';
import { useProjectsText } from './text.ts';

const TONES = { none: 'calm', pending: 'warn', ready: 'good', empty: 'calm', failed: 'danger' } as const;

/** How the repository of a project stands; its credentials count, too. */
export function RepoBadge({ project }: { readonly project: Project }): ReactNode {
  const { status } = useProjectsText().repo;
  const state = project.integration_error === null ? project.repo_status : 'failed';
  return <Badge tone={TONES[state]}>{status[state]}</Badge>;
}
