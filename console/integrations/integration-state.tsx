import type { ReactNode } from 'react';
import { Badge } from '../ui/page/page.tsx';
import type { Integration } from './queries.ts';
import { useIntegrationsText } from './text.ts';

const TONES = { unchecked: 'calm', working: 'good', failing: 'danger' } as const;

/** Says what the last test or use of an integration has shown. */
export function IntegrationState({ status }: Pick<Integration, 'status'>): ReactNode {
  return <Badge tone={TONES[status]}>{useIntegrationsText().states[status]}</Badge>;
}
