import { createLink } from '@tanstack/react-router';
import { ChevronLeft, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import classes from './controls.module.css';

type Variant = 'plain' | 'primary' | 'quiet' | 'danger';

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: Variant;
  /** Stands before its words, or alone. */
  readonly icon?: LucideIcon;
  /** Whether what it began still runs: it keeps its place and its focus, and does nothing meanwhile. */
  readonly busy?: boolean;
  /** Why it does nothing now; shown on pointing and read out, and the button can still be reached. */
  readonly reason?: string | undefined;
}

/**
 * A button that says what it does, one with an icon alone on pointing. One that cannot be used now stays in the order
 * of the Tab key and says why.
 */
export function Button(props: ButtonProps) {
  const { variant = 'plain', icon: Icon, busy = false, reason, className, onClick, children, ...rest } = props;
  const isOff = busy || reason !== undefined;
  return (
    <button
      type="button"
      {...rest}
      data-variant={variant}
      className={[classes.button, classes[variant], className].filter(Boolean).join(' ')}
      aria-busy={busy || undefined}
      aria-disabled={isOff || undefined}
      title={reason ?? rest.title ?? rest['aria-label']}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    >
      {Icon !== undefined && <Icon aria-hidden />}
      {children}
    </button>
  );
}

/** The classes of a link that looks like a button. */
export function buttonClass(variant: Variant = 'plain'): string {
  return `${classes.button} ${classes[variant]}`;
}

interface BackAnchorProps extends Omit<ComponentProps<'a'>, 'children'> {
  /** Names the list or page that it leads to. */
  readonly label: string;
}

/** Leads from a page to the list or page above it. */
export const BackLink = createLink(function BackAnchor({ label, ...rest }: BackAnchorProps) {
  return (
    <a {...rest}>
      <ChevronLeft aria-hidden />
      {label}
    </a>
  );
});
