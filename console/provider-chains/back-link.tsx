import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { useChainsText } from './text.ts';

/** Leads back to the list of chains. */
export function BackLink(): ReactNode {
  const [text, orgId] = [useChainsText(), useOrgId()];
  return (
    <Link to="/o/$orgId/provider-chains" params={{ orgId }}>
      <ChevronLeft aria-hidden />
      {text.back}
    </Link>
  );
}
