import { useEffect, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import classes from './skeleton.module.css';

const PATIENCE_MS = 150;

/** Stands for rows that are being read, once that has taken a moment. */
export function Skeleton({ rows = 5 }: { readonly rows?: number }) {
  const text = useText();
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <output className={classes.skeleton} aria-label={text.common.loading}>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} className={classes.row} />
      ))}
    </output>
  );
}
