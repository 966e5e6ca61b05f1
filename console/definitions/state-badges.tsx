import type { ReactNode } from 'react';
import { Badge } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './definitions.module.css';
import type { Definition } from './queries.ts';
import { useDefinitionsText } from './text.ts';

/** Says where a definition comes from, what place it takes, and why models are not given it. */
export function StateBadges({ definition }: { readonly definition: Definition }): ReactNode {
  const text = useDefinitionsText();
  const { origin, overrides, overridden_by: overriddenBy } = definition;
  const why = whyNotGiven(definition);
  return (
    <span className={classes.badges}>
      <Badge tone={origin === 'builtin' ? 'calm' : 'good'}>{text.origins[origin]}</Badge>
      {overrides && <Badge tone="warn">{text.overrides}</Badge>}
      {overriddenBy !== null && <Badge tone="warn">{text.overridden}</Badge>}
      {why !== null && (
        <span title={showInvisible(why)}>
          <Badge tone={definition.usable === false ? 'danger' : 'warn'}>
            {definition.usable === false ? text.unusable : text.unavailable}
          </Badge>
        </span>
      )}
    </span>
  );
}

/** Returns why models are not given a definition here and now; null when they are. */
export function whyNotGiven({ problem = null, reason = null }: Definition): string | null {
  return problem ?? reason;
}
