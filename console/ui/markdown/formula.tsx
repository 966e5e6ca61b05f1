import { type ReactNode, lazy, Suspense } from 'react';
import { showInvisible } from '../visible.ts';
import classes from './markdown.module.css';

export interface FormulaProps {
  /** The formula in TeX. */
  readonly tex: string;
  /** Whether it stands apart from the words around it. */
  readonly isDisplayed: boolean;
}

// Few texts have one. A page that cannot load what sets them shows their source.
const SetFormula = lazy(async () =>
  import('./set-formula.tsx').then(
    ({ SetFormula: component }) => ({ default: component }),
    () => ({ default: FormulaSource }),
  ),
);

/** Shows a formula as MathML, and until that can be made its source. */
export function Formula(props: FormulaProps): ReactNode {
  return (
    <Suspense fallback={<FormulaSource {...props} />}>
      <SetFormula {...props} />
    </Suspense>
  );
}

/** Shows the source of a formula. */
export function FormulaSource({ tex }: Pick<FormulaProps, 'tex'>): ReactNode {
  return <code className={classes['codespan']}>{showInvisible(tex)}</code>;
}
