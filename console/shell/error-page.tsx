import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useState } from 'react';
import { clipboard } from '../core/browser/clipboard.ts';
import { useText } from '../core/text/text-context.tsx';
import { Button, buttonClass } from '../ui/controls/button.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Page } from '../ui/page/page.tsx';
import classes from './error-page.module.css';

/** What a page shows that has failed in a way that nothing else explains. */
export function ErrorPage({ error: thrown }: ErrorComponentProps) {
  const [text, router] = [useText(), useRouter()];
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  // A page of the build before asks for a file that is gone.
  const isOutdated = /dynamically imported module|module script|unable to preload css/i.test(error.message);
  const title = isOutdated ? text.problem.updated : text.problem.title;
  const board = clipboard();
  const [at] = useState(() => new Date().toISOString());
  const details = `${at} ${window.location.pathname}\n${error.stack ?? error.message}`;
  return (
    <Page title={title} lead={isOutdated ? text.problem.updatedWhy : error.message}>
      <p className={classes.actions}>
        <Button look="primary" onClick={() => (isOutdated ? window.location.reload() : void router.invalidate())}>
          {isOutdated ? text.common.reload : text.common.retry}
        </Button>
        {board !== undefined && <Button onClick={() => void board.writeText(details)}>{text.common.copy}</Button>}
      </p>
      <details open={board === undefined}>
        <summary>{text.problem.details}</summary>
        <pre className={classes.details}>{details}</pre>
      </details>
    </Page>
  );
}

/** What an address shows that no page has. */
export function MissingPage() {
  const text = useText().problem;
  return (
    <Page title={text.notFound}>
      <Empty
        icon={<Compass />}
        title={text.notThere}
        action={
          <Link to="/" className={buttonClass('primary')}>
            {text.toHome}
          </Link>
        }
      />
    </Page>
  );
}
