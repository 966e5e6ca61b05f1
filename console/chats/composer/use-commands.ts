import { type KeyboardEvent, useId, useState } from 'react';
import { type Command, commandsFor } from './commands.ts';

interface CommandsOptions {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly commands: readonly Command[];
}

/** Returns the commands that a draft may mean, and what chooses among them. */
export function useCommandChoice({ text, onText, commands }: CommandsOptions) {
  const id = useId();
  const offered = commandsFor(text, commands);
  const [chosen, setChosen] = useState(0);
  const active = Math.min(chosen, offered.length - 1);
  const run = (command: Command) => {
    onText('');
    setChosen(0);
    command.run();
  };
  return {
    id,
    offered,
    active,
    run,
    /** What a field says of the list that its keys choose from. */
    field: offered.length === 0 ? {} : { 'aria-controls': id, 'aria-activedescendant': `${id}-${active}` },
    /** Returns whether a key was one of the list. */
    takesKey: (event: KeyboardEvent): boolean => {
      const command = offered[active];
      if (command === undefined || !isOfList(event)) return false;
      event.preventDefault();
      if (event.key === 'Enter' || event.key === 'Tab') run(command);
      else if (event.key === 'Escape') onText('');
      else setChosen((active + (event.key === 'ArrowUp' ? offered.length - 1 : 1)) % offered.length);
      return true;
    },
  };
}

function isOfList({ key, shiftKey }: KeyboardEvent): boolean {
  return !shiftKey && ['Enter', 'Tab', 'Escape', 'ArrowUp', 'ArrowDown'].includes(key);
}
