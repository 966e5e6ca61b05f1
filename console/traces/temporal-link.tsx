import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../ui/controls/button.tsx';
import { useTracesText } from './text.ts';

interface TemporalLinkProps {
  /** Null where the operator has not said where Temporal's UI is. */
  readonly url: string | null;
}

/** Leads to a workflow in Temporal's UI. */
export function TemporalLink({ url }: TemporalLinkProps): ReactNode {
  const text = useTracesText();
  if (url === null) return null;
  return (
    <a href={url} target="_blank" rel="noreferrer" className={buttonClass()}>
      <ExternalLink aria-hidden />
      {text.temporal}
    </a>
  );
}
