import type { ReactNode } from 'react';
import classes from './page.module.css';

/** Something that is known about a thing. */
export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** A list of what is known about a thing: the name of each fact beside it. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={classes.facts}>
      {facts.map(({ label, value }) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
