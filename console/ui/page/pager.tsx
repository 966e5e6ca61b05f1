import type { ReactNode } from 'react';
import type { Pages } from '../../core/http/use-pages.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../controls/button.tsx';
import { usePageText } from '../text.ts';
import classes from './page.module.css';

/** Says below a list how much of it is shown, and reads more of it. */
export function Pager({ pages }: { readonly pages: Pages<unknown> }): ReactNode {
  const { data, error, hasMore, isLoadingMore, loadMore } = pages;
  const [text, { of }] = [usePageText(), useText().common];
  if (data === undefined || (!hasMore && data.items.length >= data.total)) return null;
  return (
    <div className={classes.pager}>
      <output>{of(data.items.length, data.total)}</output>
      {error !== null && <span className="danger">{error.message}</span>}
      {hasMore && (
        <Button busy={isLoadingMore} onClick={loadMore}>
          {text.more}
        </Button>
      )}
    </div>
  );
}
