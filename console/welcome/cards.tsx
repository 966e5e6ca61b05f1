import type { ReactNode } from 'react';
import classes from './cards.module.css';

interface Card {
  readonly title: string;
  readonly words: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** A few ways to go on, each said in a sentence. */
export function Cards({ cards }: { readonly cards: readonly Card[] }) {
  return (
    <ul className={classes.cards}>
      {cards.map(({ title, words, icon, run }) => (
        <li key={title}>
          <button type="button" className={classes.card} onClick={run}>
            {icon}
            <span>
              <strong>{title}</strong>
              <span className={classes.words}>{words}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
