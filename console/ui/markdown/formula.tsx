import { type ReactNode, lazy, Suspense } from 'react';
import { type FormulaProps, FormulaSource } from './formula-source.tsx';

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
