import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Section } from '../ui/page/parts.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './destinations.module.css';
import { useUndelivered } from './queries.ts';
import { useDestinationsText } from './text.ts';

/** The reports of the user's runs that did not arrive, each with its run; nothing when all did. */
export function UndeliveredList(): ReactNode {
  const [text, orgId] = [useDestinationsText(), useOrgId()];
  const reports = useUndelivered().data?.items ?? [];
  if (reports.length === 0) return null;
  return (
    <Section title={text.undelivered} lead={text.undeliveredLead}>
      <ul>
        {reports.map(({ id, run_id: runId, name, destination_name: destination, error, created_at: at }) => (
          <li key={id}>
            <Link to="/o/$orgId/runs" params={{ orgId }} search={{ id: runId }}>
              {text.undeliveredTo(showInvisible(name), showInvisible(destination))}
            </Link>{' '}
            <span className={classes.soft}>{timeFromNow(at)}</span>
            {error !== null && <p className={classes.problem}>{showInvisible(error)}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
