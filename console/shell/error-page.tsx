import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useEffect, useState } from 'react';
import { clipboard } from '../core/browser/browser.ts';
import { useText } from '../core/text/text-context.tsx';
import { Button, buttonClass } from '../ui/controls/button.tsx';
import { Empty, Page } from '../ui/page/page.tsx';
import classes from './shell.module.css';

/** What a page shows that has failed in a way that nothing else explains. */
export function ErrorPage({ error: thrown }: ErrorComponentProps) {
  const [text, router] = [useText(), useRouter()];
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const isMissing = isMissingFile(error);
  const isAway = useIsAway(isMissing, fileOf(error));
  const board = clipboard();
  const [at] = useState(() => new Date().toISOString());
  const details = `${at} ${window.location.pathname}\n${error.stack ?? error.message}`;
  if (isMissing && isAway === undefined) return null;
  if (isAway === true)
    return (
      <Page title={text.problem.away} lead={text.problem.awayWhy}>
        {null}
      </Page>
    );
  return (
    <Page
      title={isMissing ? text.problem.updated : text.problem.title}
      lead={isMissing ? text.problem.updatedWhy : error.message}
    >
      <p className={classes.actions}>
        <Button variant="primary" onClick={() => (isMissing ? window.location.reload() : void router.invalidate())}>
          {isMissing ? text.common.reload : text.common.retry}
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

// A page of the build before asks for a file that is gone; and any page does while the server is away.
function isMissingFile({ message }: Error): boolean {
  return /dynamically imported module|module script|unable to preload css/i.test(message);
}

/** Returns the file that could not be loaded; undefined in browsers that do not name it. */
function fileOf({ message }: Error): string | undefined {
  return message.split(' ').find((word) => word.includes('/assets/'));
}

const AGAIN_MS = 3_000;

/**
 * Returns whether the server is away, or too busy to send a file, rather than without it; undefined until that is
 * known. Once it is back the page is loaded anew: a browser may hold on to the failure of a file that it could not get.
 */
function useIsAway(isAsked: boolean, file: string | undefined): boolean | undefined {
  const [isAway, setIsAway] = useState<boolean>();
  useEffect(() => {
    if (!isAsked) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasAway = false;
    let isLeft = false;
    const poll = async () => {
      const status = await fetch(new URL(file ?? '/api/server', window.location.origin)).then(
        (response) => response.status,
        () => 0,
      );
      if (isLeft) return;
      if (status === 200 && wasAway) return window.location.reload();
      wasAway = status !== (file === undefined ? 200 : 404);
      setIsAway(wasAway);
      if (wasAway) timer = setTimeout(() => void poll(), AGAIN_MS);
    };
    void poll();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [isAsked, file]);
  return isAway;
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
