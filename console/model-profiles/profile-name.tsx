import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './profiles.module.css';
import type { ModelProfile } from './queries.ts';

/** The name of a profile, which leads to it, and what it is for. */
export function ProfileName({ profile: { id, name, description } }: { readonly profile: ModelProfile }): ReactNode {
  const orgId = useOrgId();
  return (
    <span className={classes.name}>
      <Link to="/o/$orgId/model-profiles/$profileId" params={{ orgId, profileId: id }} className={classes.link}>
        {showInvisible(name)}
      </Link>
      {description !== '' && <span className={classes.soft}>{showInvisible(description)}</span>}
    </span>
  );
}
