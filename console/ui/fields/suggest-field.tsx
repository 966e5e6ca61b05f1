import { Autocomplete } from '@base-ui/react/autocomplete';
import { type ReactNode, useState } from 'react';
import { ChoiceSign } from '../controls/choice.tsx';
import choiceClasses from '../controls/controls.module.css';
import { FieldFrame } from '../controls/field-frame.tsx';

interface SuggestFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string | undefined;
  /** What is offered while one types; anything else can be typed as well. */
  readonly suggestions: readonly string[];
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  /** Called when somebody reaches for the field, for suggestions that are read only then. */
  readonly onReach?: () => void;
}

/** How many suggestions the list shows at most: one types to see others. */
const MAX_SHOWN = 200;

/** A line of text with suggestions. For one of a fixed set there is `ChoiceField`. */
export function SuggestField(props: SuggestFieldProps): ReactNode {
  const { label, name, hint, placeholder, suggestions, value, onValueChange, onReach } = props;
  const [isOpen, setIsOpen] = useState(false);
  const wanted = value.trim().toLowerCase();
  // An open list without a line would be an empty box that keeps the rest of the page from being reached.
  const hasAny = suggestions.some((suggestion) => suggestion.toLowerCase().includes(wanted));
  const isShown = isOpen && hasAny;
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <Autocomplete.Root
        items={suggestions}
        limit={MAX_SHOWN}
        openOnInputClick
        open={isShown}
        onOpenChange={(open) => setIsOpen(open)}
        value={value}
        onValueChange={(typed) => onValueChange(typed)}
      >
        <div className={choiceClasses.choiceField}>
          <Autocomplete.Input
            className={choiceClasses.input ?? ''}
            placeholder={placeholder}
            onFocus={onReach}
            onKeyDown={(event) => {
              // Escape closes the list; without one it would take away what was typed.
              if (event.key === 'Escape' && !isShown) event.preventBaseUIHandler();
            }}
          />
          {suggestions.length > 0 && <ChoiceSign />}
        </div>
        <Autocomplete.Portal>
          <Autocomplete.Positioner className={choiceClasses.positioner ?? ''} sideOffset={4}>
            <Autocomplete.Popup className={choiceClasses.popup ?? ''}>
              <Autocomplete.List>
                {(suggestion: string) => (
                  <Autocomplete.Item key={suggestion} value={suggestion} className={choiceClasses.item ?? ''}>
                    {suggestion}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
    </FieldFrame>
  );
}
