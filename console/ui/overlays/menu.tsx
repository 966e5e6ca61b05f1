import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './menu.module.css';

/** A line of a menu. */
export interface MenuItem {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Whether it is the one that holds now, of a choice. */
  readonly isChosen?: boolean;
  /** The heading of the group that begins with it. */
  readonly heading?: string;
  readonly run: () => void;
}

interface MenuProps {
  /** What the button shows. */
  readonly trigger: ReactNode;
  readonly label: string;
  readonly className?: string | undefined;
  readonly items: readonly MenuItem[];
}

/** A button that opens a list of actions. */
export function Menu({ trigger, label, className, items }: MenuProps) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger className={className ?? ''} aria-label={label}>
        {trigger}
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner className={classes.positioner ?? ''} sideOffset={6} align="start">
          <BaseMenu.Popup className={classes.popup ?? ''}>
            {items.map(({ key, label: words, icon, isChosen, heading, run }) => (
              <div key={key}>
                {heading !== undefined && (
                  <p className={classes.heading} aria-hidden>
                    {heading}
                  </p>
                )}
                <BaseMenu.Item className={classes.item ?? ''} onClick={run}>
                  <span className={classes.icon}>{isChosen === true ? <Check aria-hidden /> : icon}</span>
                  {words}
                </BaseMenu.Item>
              </div>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
