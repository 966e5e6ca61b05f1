import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { MenuProps } from './menu.tsx';
import classes from './overlays.module.css';

/** A menu that is open from the start, and that its button opens again. */
export function OpenedMenu({ trigger, label, className, items }: MenuProps) {
  return (
    <BaseMenu.Root defaultOpen>
      <BaseMenu.Trigger className={className ?? ''} aria-label={label} title={label}>
        {trigger}
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner className={classes.positioner ?? ''} sideOffset={6} align="start">
          <BaseMenu.Popup className={classes.menuPopup ?? ''}>
            {items.map(({ key, label: words, icon, isChosen, heading, isDanger, reason, run }) => (
              <div key={key}>
                {heading !== undefined && (
                  <p className={classes.heading} aria-hidden>
                    {heading}
                  </p>
                )}
                <BaseMenu.Item
                  className={classes.item ?? ''}
                  data-danger={isDanger || undefined}
                  disabled={reason !== undefined}
                  onClick={run}
                >
                  <span className={classes.icon}>{isChosen === true ? <Check aria-hidden /> : icon}</span>
                  <span>
                    {words}
                    {reason !== undefined && <span className={classes.reason}>{reason}</span>}
                  </span>
                </BaseMenu.Item>
              </div>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
