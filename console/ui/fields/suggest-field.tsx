import { Autocomplete } from '@base-ui/react/autocomplete';
import { type ReactNode, useState } from 'react';
import choiceClasses from '../controls/choice.module.css';
import { FieldFrame } from '../controls/field-frame.tsx';
import fieldClasses from '../controls/field.module.css';

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
  return (
    <FieldFrame label={label} name={name} hint={hint}>
      <Autocomplete.Root
        items={suggestions}
        limit={MAX_SHOWN}
        openOnInputClick
        // An empty list would still keep the rest of the page from those who listen to it.
        open={isOpen && suggestions.length > 0}
        onOpenChange={(open) => setIsOpen(open)}
        value={value}
        onValueChange={(typed) => onValueChange(typed)}
      >
        <Autocomplete.Input className={fieldClasses.input ?? ''} placeholder={placeholder} onFocus={onReach} />
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
