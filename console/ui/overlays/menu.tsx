import { lazy, type ReactNode, Suspense, useState } from 'react';

/** A line of a menu. */
export interface MenuItem {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Whether it is the one that holds now, of a choice. */
  readonly isChosen?: boolean;
  /** The heading of the group that begins with it. */
  readonly heading?: string;
  /** Whether it takes something away. */
  readonly isDanger?: boolean;
  /** Why it cannot be chosen now; shown below its words. */
  readonly reason?: string | undefined;
  readonly run: () => void;
}

/** What a menu shows. */
export interface MenuProps {
  /** What the button shows. */
  readonly trigger: ReactNode;
  readonly label: string;
  readonly className?: string | undefined;
  readonly items: readonly MenuItem[];
}

const loadOpened = async () => import('./opened-menu.tsx');
const OpenedMenu = lazy(async () => ({ default: (await loadOpened()).OpenedMenu }));

/** A button that opens a list of actions. What opens is loaded when somebody reaches for it. */
export function Menu(props: MenuProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const { trigger, label, className } = props;
  const button = (
    <button
      type="button"
      className={className}
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void loadOpened()}
      onFocus={() => void loadOpened()}
      onClick={() => setWasOpened(true)}
    >
      {trigger}
    </button>
  );
  if (!wasOpened) return button;
  return (
    <Suspense fallback={button}>
      <OpenedMenu {...props} />
    </Suspense>
  );
}
