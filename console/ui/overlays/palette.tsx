import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import classes from './overlays.module.css';

/** A line of the palette. */
export interface PaletteItem {
  /** What is searched. */
  readonly value: string;
  /** What tells it from others with the same words; the words unless given. */
  readonly key?: string;
  /** What it is, such as a chat. */
  readonly kind?: string;
  readonly icon?: ReactNode;
  /** The keys that do the same. */
  readonly keys?: string | undefined;
  readonly run: () => void;
}

interface PaletteProps {
  readonly onClose: () => void;
  readonly label: string;
  readonly placeholder: string;
  readonly nothing: string;
  readonly items: readonly PaletteItem[];
}

/** As many lines are shown at once; typing narrows them. */
const MOST_SHOWN = 60;

/** A window in which any page or action is found by typing. */
export function Palette({ onClose, label, placeholder, nothing, items }: PaletteProps) {
  return (
    <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={classes.backdrop ?? ''} />
        <BaseDialog.Popup className={classes.palettePopup ?? ''} aria-label={label}>
          <Autocomplete.Root
            open
            inline
            items={items}
            limit={MOST_SHOWN}
            itemToStringValue={(item: PaletteItem) => item.value}
            autoHighlight="always"
            keepHighlight
          >
            <Autocomplete.Input className={classes.input ?? ''} aria-label={label} placeholder={placeholder} />
            <div className={classes.results}>
              <Autocomplete.Empty className={classes.empty ?? ''}>{nothing}</Autocomplete.Empty>
              <Autocomplete.List>
                {(item: PaletteItem) => (
                  <Autocomplete.Item
                    key={item.key ?? item.value}
                    value={item}
                    className={classes.paletteItem ?? ''}
                    onClick={() => {
                      onClose();
                      item.run();
                    }}
                  >
                    <span className={classes.paletteIcon}>{item.icon}</span>
                    <span className="truncate flex-1">{item.value}</span>
                    {item.kind !== undefined && <span className={classes.kind}>{item.kind}</span>}
                    {item.keys !== undefined && <kbd className={classes.keys}>{item.keys}</kbd>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </div>
          </Autocomplete.Root>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
