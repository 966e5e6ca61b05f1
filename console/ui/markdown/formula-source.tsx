import type { ReactNode } from 'react';
import { showInvisible } from '../visible.ts';
import classes from './markdown.module.css';

export interface FormulaProps {
  /** The formula in TeX. */
  readonly tex: string;
  /** Whether it stands apart from the words around it. */
  readonly isDisplayed: boolean;
}

/** Shows the source of a formula. */
export function FormulaSource({ tex }: Pick<FormulaProps, 'tex'>): ReactNode {
  return <code className={classes['codespan']}>{showInvisible(tex)}</code>;
}
