import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { useProfilesText } from './text.ts';

/** Leads back to the list of model profiles. */
export function BackLink(): ReactNode {
  const [text, orgId] = [useProfilesText(), useOrgId()];
  return (
    <Link to="/o/$orgId/model-profiles" params={{ orgId }}>
      <ChevronLeft aria-hidden />
      {text.back}
    </Link>
  );
}
