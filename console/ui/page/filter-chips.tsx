import { ListFilter, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, buttonClass } from '../controls/button.tsx';
import { Menu, type MenuItem } from '../overlays/menu.tsx';
import classes from './page.module.css';
import { usePageText } from '../text.ts';

/** A filter that narrows a list now. */
export interface ActiveFilter {
  readonly key: string;
  /** What is filtered by, and the value: "Status: failed". */
  readonly label: string;
  readonly onRemove: () => void;
}

interface FilterChipsProps {
  readonly active: readonly ActiveFilter[];
  /** The filters that can be added, with the heading of each kind at its first one. */
  readonly more: readonly MenuItem[];
  readonly onClear: () => void;
}

/** The filters of a list as chips, each with what takes it away, and a menu of others. */
export function FilterChips({ active, more, onClear }: FilterChipsProps): ReactNode {
  const text = usePageText();
  return (
    <fieldset className={`row min-w-0 ${classes.bar}`} aria-label={text.filters}>
      {active.map(({ key, label, onRemove }) => (
        <span key={key} className={classes.chip}>
          {label}
          <button type="button" className={classes.remove} aria-label={text.removeFilter(label)} onClick={onRemove}>
            <X aria-hidden />
          </button>
        </span>
      ))}
      {more.length > 0 && (
        <Menu
          label={text.addFilter}
          className={buttonClass()}
          trigger={
            <>
              <ListFilter aria-hidden />
              {active.length === 0 && text.addFilter}
            </>
          }
          items={more}
        />
      )}
      {active.length > 1 && (
        <Button variant="quiet" onClick={onClear}>
          {text.clearFilters}
        </Button>
      )}
    </fieldset>
  );
}
